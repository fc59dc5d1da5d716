"""EXPLAIN's answer: its sections, each under its heading (Flink: StreamPlanner.explain)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from firesteel.explain.advice import advice_text, is_advised
from firesteel.explain.ast import ast_tree
from firesteel.explain.cost import cost_text
from firesteel.explain.exchanges import without_repeated_exchanges
from firesteel.explain.json_plan import json_plan, sink_constraints
from firesteel.explain.reuse import execution_trees
from firesteel.explain.sinks import united_sinks
from firesteel.explain.tree_text import whole_tree
from firesteel.plan.expressions.text import prefix_text
from firesteel.plan.nodes.physical import Sink, Values
from firesteel.plan.nodes.text import attributes, hint_attributes, line
from firesteel.plan.rel_builder import as_built
from firesteel.plan.risk import UpdateRisk
from firesteel.plan.tree import Node

RiskOf: TypeAlias = Callable[[Node], UpdateRisk | None]
"""Function that returns the risk of a physical plan that PLAN_ADVICE warns of."""


def _no_risk(plan: Node) -> None:
    return None


def explain(
    logical: Node,
    physical: Node,
    details: Collection[str],
    configuration: Mapping[str, str] | None = None,
    risk_of: RiskOf = _no_risk,
) -> str:
    """Return the plans of one query or INSERT.

    Args:
        logical: The plan as bound.
        physical: The plan after all rules.
        details: ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE.
        configuration: The session's options, for PLAN_ADVICE and the constraints of sinks.
        risk_of: Returns the risk of a plan that PLAN_ADVICE warns of.

    Raises:
        NotSupportedError: A cost is not estimated.
        ValidationError: Options about the constraints of a sink exclude each other.
    """
    return explain_all([(logical, physical)], details, configuration, risk_of)


def explain_all(
    plans: Sequence[tuple[Node, Node]],
    details: Collection[str],
    configuration: Mapping[str, str] | None = None,
    risk_of: RiskOf = _no_risk,
) -> str:
    """Return the plans of the INSERTs of a statement set. Arguments and errors: see `explain`."""
    for sink in (plan for _, plan in plans if isinstance(plan, Sink)):
        sink_constraints(sink, configuration or {})  # Only for its errors: Flink raises them in any EXPLAIN
    physical = list(map(without_repeated_exchanges, united_sinks([plan for _, plan in plans])))
    asts = [ast_tree(as_built(bound)) for bound, _ in plans]
    sections = [
        _section("Abstract Syntax Tree", asts),
        _physical(physical, details, configuration or {}, risk_of),
        _section("Optimized Execution Plan", execution_trees(physical)),
    ]
    if "JSON_EXECUTION_PLAN" in details:
        sections.append(_section("Physical Execution Plan", [json_plan(physical, configuration)]))
    return "\n".join(sections)


def explain_physical(plans: Sequence[Node], details: Collection[str]) -> str:
    """Return the section of the physical plans alone.

    Args:
        plans: The plans of a query, or of the INSERTs of a statement set.
        details: CHANGELOG_MODE or nothing.
    """
    return _physical(list(map(without_repeated_exchanges, united_sinks(plans))), details, {}, _no_risk)


def _section(title: str, trees: Sequence[str]) -> str:
    return f"== {title} ==\n" + "\n\n".join(trees) + "\n"


def _physical(
    plans: Sequence[Node], details: Collection[str], configuration: Mapping[str, str], risk_of: RiskOf
) -> str:
    changelog, advised = "CHANGELOG_MODE" in details, "PLAN_ADVICE" in details
    costs = "ESTIMATED_COST" in details

    def text(node: Node) -> str:
        found = attributes(node, prefix_text)
        if costs and isinstance(node, Values):
            found = [part for part in found if part[0] != "type"]  # Flink prints the type only without costs
        if advised and is_advised(node):
            found = [("advice", "1"), *found]
        hints = hint_attributes(node)
        shown = line(node, [*found, *(mode_attribute(node) if changelog else []), *hints])
        return shown + cost_text(node) if costs else shown

    trees = [whole_tree(plan, text) for plan in plans]
    if not advised:
        return _section("Optimized Physical Plan", trees)
    risks = [risk for risk in map(risk_of, plans) if risk is not None]
    trees.append(advice_text(plans, risks, configuration))
    return _section("Optimized Physical Plan With Advice", trees)


def physical_line(node: Node) -> str:
    """Return the line of a node in the physical plan, with its changelog mode."""
    return line(node, [*attributes(node, prefix_text), *mode_attribute(node), *hint_attributes(node)])


def mode_attribute(node: Node) -> list[tuple[str, str]]:
    if isinstance(node, Sink):
        return [("changelogMode", "NONE")]
    mode = getattr(node, "mode", None)
    return [] if mode is None else [("changelogMode", str(mode))]
