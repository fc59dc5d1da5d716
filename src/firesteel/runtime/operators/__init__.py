"""Operators by family."""
