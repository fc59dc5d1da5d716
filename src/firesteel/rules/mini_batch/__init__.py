"""Rules: mini-batches."""
