"""Joins of rows whose times are close to each other."""
