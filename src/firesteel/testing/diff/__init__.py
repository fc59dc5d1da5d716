"""Comparison of two versions of a script, or of two runs."""
