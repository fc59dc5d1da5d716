"""Plan nodes: window joins."""
