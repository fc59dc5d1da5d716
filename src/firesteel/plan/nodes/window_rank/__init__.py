"""Plan nodes: rank and deduplication within windows."""
