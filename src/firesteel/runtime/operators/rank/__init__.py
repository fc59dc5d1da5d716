"""Ranks: Top-N, ORDER BY ... LIMIT and LIMIT."""
