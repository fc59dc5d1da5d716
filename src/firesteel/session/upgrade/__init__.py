"""Upgrade of a checkpoint to a changed script, with the planner's part of it."""
