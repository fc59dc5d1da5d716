"""The formats `debezium-json` and `debezium-avro-confluent`."""
