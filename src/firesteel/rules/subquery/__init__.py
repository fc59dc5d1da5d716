"""Rules: sub-queries."""
