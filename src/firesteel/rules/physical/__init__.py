"""Rules: physical nodes."""
