"""Plan node: joins with a table that is asked for the rows of each key."""
