"""avro, avro-confluent."""
