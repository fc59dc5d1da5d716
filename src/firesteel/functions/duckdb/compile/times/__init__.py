"""Compilation of dates, times and timestamps."""
