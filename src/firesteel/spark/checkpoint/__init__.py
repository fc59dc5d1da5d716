"""Folders of checkpoints: locks, fingerprints, and recovery."""
