"""Binding of GROUP BY, windows and OVER."""
