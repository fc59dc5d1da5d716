"""Rescaling: distribution of a stopped job's state over another number of tasks."""
