"""Plan nodes: table functions that run for each row of an input."""
