"""Rules: changelog."""
