"""Rules: pushdown."""
