"""Python functions that fill gaps in DuckDB."""
