"""Readers of checkpoints: the jobs and the state in them, and the difference of two states."""
