"""Plan nodes and expressions, and their properties."""
