"""Temporal joins: join each row with the version of a table at the time of the row."""
