"""Upgrade of a checkpoint to a changed script."""
