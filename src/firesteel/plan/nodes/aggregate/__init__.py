"""Plan nodes: aggregate."""
