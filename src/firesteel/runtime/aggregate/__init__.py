"""Aggregates: declarations, the row engine, and results in columns, after each row or after each bundle."""
