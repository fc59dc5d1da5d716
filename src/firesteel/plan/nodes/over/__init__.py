"""Plan nodes: OVER aggregates and sorts."""
