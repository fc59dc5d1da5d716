"""Plan nodes: joins of the rows of windows."""
