"""Change data capture formats over JSON and Avro."""
