"""Properties of plan nodes, which rules read."""
