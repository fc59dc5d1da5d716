"""Prefix scans of aggregates: all intermediate results of a batch in columns, without a loop over rows."""

from firesteel.runtime.aggregate.scan.plan import PrefixScanPlan, plan

__all__ = ["PrefixScanPlan", "plan"]
