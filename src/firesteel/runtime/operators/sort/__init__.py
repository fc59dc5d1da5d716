"""Operators for sorting by time."""
