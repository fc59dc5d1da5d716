"""Deduplication: the first or the last row of each key."""
