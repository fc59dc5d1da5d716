"""Plan nodes: Calc, which projects and filters."""
