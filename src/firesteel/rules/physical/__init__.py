"""Rules: physical."""
