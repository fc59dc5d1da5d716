"""Plan nodes: scan."""
