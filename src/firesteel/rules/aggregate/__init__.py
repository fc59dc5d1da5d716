"""Rules: aggregates."""
