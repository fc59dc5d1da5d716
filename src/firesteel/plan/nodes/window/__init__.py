"""Plan nodes: window functions and window aggregates."""
