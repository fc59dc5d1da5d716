"""Typed expressions and their casts."""
