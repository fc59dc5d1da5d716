"""The optimizer: one rule a file, their order in program.py."""

from firesteel.rules.program import optimize

__all__ = ["optimize"]
