"""Rules: temporal joins and lookup joins."""
