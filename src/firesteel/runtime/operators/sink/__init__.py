"""Operators: sink."""
