"""Rules: table functions."""
