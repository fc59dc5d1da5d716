"""Plan nodes: window."""
