"""The connectors `kafka` and `upsert-kafka`: topics as change streams, by way of confluent-kafka."""
