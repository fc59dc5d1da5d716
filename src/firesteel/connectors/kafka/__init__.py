"""The connector `kafka`: topics as change streams, by way of confluent-kafka."""
