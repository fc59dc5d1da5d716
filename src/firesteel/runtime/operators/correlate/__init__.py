"""Operators for table functions."""
