"""Operators: calc."""
