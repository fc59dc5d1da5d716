"""Plan nodes: interval joins."""
