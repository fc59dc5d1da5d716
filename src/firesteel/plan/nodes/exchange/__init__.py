"""Plan nodes: exchanges."""
