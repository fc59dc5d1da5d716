"""Operators for projections and filters."""
