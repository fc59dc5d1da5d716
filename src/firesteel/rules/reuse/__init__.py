"""Rules: reuse of equal parts of plans."""
