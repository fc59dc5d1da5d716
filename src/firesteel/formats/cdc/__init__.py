"""Change data capture (CDC) formats over JSON and Avro."""
