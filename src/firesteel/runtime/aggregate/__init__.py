"""Aggregates: declarations, the generated row engine, and columnar forms (running and reduced)."""
