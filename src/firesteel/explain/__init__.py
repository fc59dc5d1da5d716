"""Plans as Flink prints them."""

from firesteel.explain.sections import explain

__all__ = ["explain"]
