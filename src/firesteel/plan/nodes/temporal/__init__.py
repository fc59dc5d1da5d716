"""Plan nodes: tables as of a point in time, and temporal joins with them."""
