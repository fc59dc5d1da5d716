"""Advice on plans, as EXPLAIN PLAN_ADVICE prints it.

Flink: GroupAggregationAnalyzer, NonDeterministicUpdateAnalyzer, ExplainUtil.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firesteel.explain.tree_text import whole_tree
from firesteel.plan.expressions.text import prefix_text
from firesteel.plan.metadata import upsert_keys
from firesteel.plan.nodes.accumulators import is_mergeable
from firesteel.plan.nodes.physical import GroupAggregate
from firesteel.plan.nodes.text import attributes, hint_attributes, line
from firesteel.plan.risk import UpdateRisk
from firesteel.plan.tree import Node, walk

_MINI_BATCH = (
    ("table.exec.mini-batch.enabled", "'true'"),
    ("table.exec.mini-batch.allow-latency", "a positive long value"),
    ("table.exec.mini-batch.size", "a positive long value"),
)


def is_advised(node: Node) -> bool:
    """Return whether a node could be split into a local and a global phase if the options allowed it."""
    return isinstance(node, GroupAggregate) and all(map(is_mergeable, node.calls))


def advice_text(plans: Sequence[Node], risks: Sequence[UpdateRisk], configuration: Mapping[str, str]) -> str:
    """Return all advice on some plans as one text, numbered: `advice[1]: ...`.

    Advice to aggregate in two phases comes first: nodes of the plan refer to it with `advice=[1]`. Warnings
    about risks follow.

    Args:
        plans: The physical plans.
        risks: The risks of these plans.
        configuration: The session's options.
    """
    found = [f"[WARNING] {_risk_text(risk)}" for risk in risks]
    if any(is_advised(node) for plan in plans for node in walk(plan)):
        found.insert(0, f"[ADVICE] {_two_phases(configuration)}")
    numbered = (f"advice[{number}]: {text}" for number, text in enumerate(found, 1))
    return "\n".join(numbered) or "No available advice..."


def _two_phases(configuration: Mapping[str, str]) -> str:
    """Return Flink's advice to split aggregates into a local and a global phase, with the options to set."""
    missing = [(key, to) for key, to in _MINI_BATCH if not _is_set(configuration.get(key))]
    if configuration.get("table.optimizer.agg-phase-strategy") == "ONE_PHASE":
        missing.append(("table.optimizer.agg-phase-strategy", "'AUTO'"))
    settings = ", ".join(f"'{key}' to {value}" for key, value in missing)
    return f"You might want to enable local-global two-phase optimization by configuring ({settings})."


def _risk_text(risk: UpdateRisk) -> str:
    if risk.node is None:
        return risk.message
    return f"{risk.message}\n\n{risk.title}:\n{whole_tree(risk.node, _keyed_line)}\n"


def _keyed_line(node: Node) -> str:
    """Return the line of a node with its changelog mode and its upsert keys."""
    found = attributes(node, prefix_text)
    mode = getattr(node, "mode", None)
    if mode is not None:
        found = [*found, ("changelogMode", str(mode))]
    names = [field.name for field in node.schema]
    keys = sorted(sorted(key) for key in upsert_keys(node))
    shown = ", ".join(f"[{', '.join(names[i] for i in key)}]" for key in keys)
    if keys:
        found = [*found, ("upsertKeys", shown)]
    return line(node, [*found, *hint_attributes(node)])


def _is_set(value: object) -> bool:
    """Return whether the value of a mini-batch option turns the option on.

    Missing (None), NONE, FALSE, an empty text, 0, -1, `0 ms` and `0 s` do not. Any other value does.
    """
    return str(value).strip().lower() not in ("none", "", "false", "0", "-1", "0 ms", "0 s")
