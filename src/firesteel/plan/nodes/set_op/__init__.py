"""Plan nodes: set operations."""
