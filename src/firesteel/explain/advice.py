"""Advice on a plan, as EXPLAIN PLAN_ADVICE prints it (Flink: GroupAggregationAnalyzer)."""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.plan.nodes.accumulators import is_mergeable
from firesteel.plan.nodes.physical import GroupAggregate
from firesteel.plan.tree import Node

_MINI_BATCH = (
    ("table.exec.mini-batch.enabled", "'true'"),
    ("table.exec.mini-batch.allow-latency", "a positive long value"),
    ("table.exec.mini-batch.size", "a positive long value"),
)


def is_advised(node: Node) -> bool:
    """Return whether a node could be split into a local and a global phase if the options allowed it."""
    return isinstance(node, GroupAggregate) and all(map(is_mergeable, node.calls))


def advice_text(configuration: Mapping[str, str]) -> str:
    """Return the advice for such a node: the options to set for two phases."""
    missing = [(key, to) for key, to in _MINI_BATCH if not _is_set(configuration.get(key))]
    if configuration.get("table.optimizer.agg-phase-strategy") == "ONE_PHASE":
        missing.append(("table.optimizer.agg-phase-strategy", "'AUTO'"))
    settings = ", ".join(f"'{key}' to {value}" for key, value in missing)
    return (
        "advice[1]: [ADVICE] You might want to enable local-global two-phase optimization by configuring "
        f"({settings})."
    )


def _is_set(value: object) -> bool:
    """Return whether an option's value, parsed or as text, turns something on."""
    return str(value).strip().lower() not in ("none", "", "false", "0", "-1", "0 ms", "0 s")
