"""Savepoints: consistent copies of checkpoints, of running jobs, too."""
