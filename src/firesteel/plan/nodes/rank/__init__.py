"""Plan nodes: ranks."""
