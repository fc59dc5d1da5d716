"""Plan nodes: joins."""
