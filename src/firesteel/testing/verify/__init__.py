"""Verification of jobs: their changes, or their sinks' rows, against the batch answer over the input."""
