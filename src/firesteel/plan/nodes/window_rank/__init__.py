"""Plan nodes: ranks and deduplication of the rows of windows."""
