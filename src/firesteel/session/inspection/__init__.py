"""Inspection of what jobs have left: the state in their checkpoints."""
