"""Upgrade of a checkpoint to a changed script: both scripts are planned, and their plans compared."""
