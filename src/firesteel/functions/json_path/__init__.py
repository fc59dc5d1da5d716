"""JSON documents and paths as Flink reads them, with Jackson, Jayway json-path 2.9 and SqlJsonUtils."""
