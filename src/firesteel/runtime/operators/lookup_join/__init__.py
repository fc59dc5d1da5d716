"""Lookup joins: joins with a table that is queried for the rows of each key."""
