"""Columnar per-record forms: every intermediate result of a batch without a loop over its rows."""

from firesteel.runtime.aggregate.scan.plan import RunningPlan, plan

__all__ = ["RunningPlan", "plan"]
