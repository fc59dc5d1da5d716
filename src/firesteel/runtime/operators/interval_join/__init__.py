"""Joins of rows whose times are close."""
