"""Aggregation of bundles: mini-batches, in one phase and in two."""
