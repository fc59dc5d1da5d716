"""Operators that create or handle watermarks."""
