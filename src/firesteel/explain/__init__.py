"""Text of plans, as Flink's EXPLAIN prints it."""

from firesteel.explain.sections import explain

__all__ = ["explain"]
