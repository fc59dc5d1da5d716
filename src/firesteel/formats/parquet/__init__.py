"""The format `parquet`."""
