"""Rules: mini-batch."""
