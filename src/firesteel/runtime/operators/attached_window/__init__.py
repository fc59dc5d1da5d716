"""Operators over rows that have the start and end of their window as columns."""
