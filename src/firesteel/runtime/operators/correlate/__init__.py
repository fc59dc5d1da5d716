"""Operators: table functions."""
