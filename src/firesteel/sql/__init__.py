"""Grammar and syntax tree of Flink SQL."""
