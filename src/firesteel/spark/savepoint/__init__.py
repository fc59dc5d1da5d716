"""Savepoints: consistent copies of checkpoints, which can be made while a job runs on the checkpoint."""
