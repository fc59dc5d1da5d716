"""Properties of plan nodes: what rules may ask of a node."""
