"""Rules: joins with a table as of a point in time."""
