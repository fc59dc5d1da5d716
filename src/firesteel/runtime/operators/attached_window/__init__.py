"""Operators: rows that carry the borders of their windows."""
