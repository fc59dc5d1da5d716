"""Connectors: the sources and sinks of tables."""
