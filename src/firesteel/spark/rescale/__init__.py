"""Rescaling: the state of a stopped job is distributed over another number of tasks."""
