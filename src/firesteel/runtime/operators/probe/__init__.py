"""Operators that observe rows and change nothing."""
