"""Rules: normalize."""
