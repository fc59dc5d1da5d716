"""Aggregates: declarations, the row engine, running and reduced forms."""
