"""Aggregation of bundles (mini-batches) in columns, in one phase and in two."""
