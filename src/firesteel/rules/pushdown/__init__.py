"""Rules: pushdown into scans and below other nodes."""
