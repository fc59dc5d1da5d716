"""The optimizer: one rule a file, their order in stages.py."""

from firesteel.rules.stages import optimize, optimize_all

__all__ = ["optimize", "optimize_all"]
