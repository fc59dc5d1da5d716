"""Rules: aggregate."""
