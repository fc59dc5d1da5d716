"""parquet."""
