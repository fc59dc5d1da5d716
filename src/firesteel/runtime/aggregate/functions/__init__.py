"""Declarations of the aggregate functions."""
