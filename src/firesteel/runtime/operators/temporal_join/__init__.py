"""Operators: joins with the version of a point in time."""
