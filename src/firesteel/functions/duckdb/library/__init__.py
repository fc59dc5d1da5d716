"""Python functions for what DuckDB lacks."""
