"""Rules: joins."""
