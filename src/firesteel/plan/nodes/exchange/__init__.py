"""Plan nodes: exchange."""
