"""JSON documents and paths as Flink reads them: Jackson, Jayway json-path 2.9, SqlJsonUtils."""
