"""debezium-json, debezium-avro-confluent."""
