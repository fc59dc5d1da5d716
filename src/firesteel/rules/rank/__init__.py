"""Rules: ranks."""
