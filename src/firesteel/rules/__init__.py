"""The optimizer: one rule a file, their order in program.py."""

from firesteel.rules.program import optimize, optimize_all

__all__ = ["optimize", "optimize_all"]
