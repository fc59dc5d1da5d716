"""Checkpoint folders: locks, fingerprints, statements."""
