"""Optimizer: one rule in each file, their order in programs.py."""

from firesteel.rules.programs import optimize, optimize_all

__all__ = ["optimize", "optimize_all"]
