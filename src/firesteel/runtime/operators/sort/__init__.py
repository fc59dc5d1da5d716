"""Operators: sort."""
