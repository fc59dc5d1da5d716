"""Plan nodes: over."""
