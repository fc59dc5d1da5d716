"""Rules: INTERSECT and EXCEPT."""
