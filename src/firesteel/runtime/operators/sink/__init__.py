"""Operators before a sink: checks of constraints, and conversion to upserts."""
