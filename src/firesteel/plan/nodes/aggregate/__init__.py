"""Plan nodes: aggregates."""
