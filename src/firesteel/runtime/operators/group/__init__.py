"""Operators for GROUP BY, and for normalizing changelogs."""
