"""Plan nodes: set_op."""
