"""Plan nodes: lookup joins, which query a table for each key."""
