"""Verification of jobs: what they say, or what their sinks hold, against the batch answer over the input."""
