"""Plan nodes: calc."""
