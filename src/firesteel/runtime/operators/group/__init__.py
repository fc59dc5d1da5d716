"""Operators: group."""
