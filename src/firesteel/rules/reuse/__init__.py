"""Rules: reuse."""
