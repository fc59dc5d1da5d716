"""Rules: window."""
