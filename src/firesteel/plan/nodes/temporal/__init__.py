"""Plan nodes: a table as of a point in time, and the joins with one."""
