"""EXPLAIN's answer: its sections, each under its heading (Flink: StreamPlanner.explain)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from firesteel.explain.advice import advice_text, is_advised
from firesteel.explain.ast import ast_tree
from firesteel.explain.cost import cost_text
from firesteel.explain.json_plan import json_plan, sink_constraints
from firesteel.explain.reuse import execution_trees
from firesteel.explain.sinks import united_sinks
from firesteel.explain.tree_text import whole_tree
from firesteel.plan.expressions.text import prefix_text
from firesteel.plan.nodes.physical import Sink, Values
from firesteel.plan.nodes.text import attributes, hint_attributes, line
from firesteel.plan.rel_builder import as_built
from firesteel.plan.tree import Node, walk


def explain(
    logical: Node,
    physical: Node,
    details: Collection[str],
    configuration: Mapping[str, str] | None = None,
) -> str:
    """One query's plans. details: ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE.

    configuration: what PLAN_ADVICE compares with. Raises NotSupportedError for a cost that is not estimated.
    """
    return explain_all([(logical, physical)], details, configuration)


def explain_all(
    plans: Sequence[tuple[Node, Node]],
    details: Collection[str],
    configuration: Mapping[str, str] | None = None,
) -> str:
    """The plans of the INSERTs of a statement set."""
    for sink in (plan for _, plan in plans if isinstance(plan, Sink)):
        sink_constraints(sink, configuration or {})  # Flink refuses these in every EXPLAIN
    physical = united_sinks([plan for _, plan in plans])
    asts = [ast_tree(as_built(bound)) for bound, _ in plans]
    sections = [
        _section("Abstract Syntax Tree", asts),
        _physical(physical, details, configuration or {}),
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
    return _physical(united_sinks(plans), details, {})


def _section(title: str, trees: Sequence[str]) -> str:
    return f"== {title} ==\n" + "\n\n".join(trees) + "\n"


def _physical(plans: Sequence[Node], details: Collection[str], configuration: Mapping[str, str]) -> str:
    changelog, advised = "CHANGELOG_MODE" in details, "PLAN_ADVICE" in details
    costs = "ESTIMATED_COST" in details

    def text(node: Node) -> str:
        found = attributes(node, prefix_text)
        if costs and isinstance(node, Values):
            found = [part for part in found if part[0] != "type"]  # Flink: only at the level without costs
        if advised and is_advised(node):
            found = [("advice", "1"), *found]
        hints = hint_attributes(node)
        shown = line(node, [*found, *(mode_attribute(node) if changelog else []), *hints])
        return shown + cost_text(node) if costs else shown

    trees = [whole_tree(plan, text) for plan in plans]
    if not advised:
        return _section("Optimized Physical Plan", trees)
    any_advice = any(is_advised(node) for plan in plans for node in walk(plan))
    trees.append(advice_text(configuration) if any_advice else "No available advice...")
    return _section("Optimized Physical Plan With Advice", trees)


def mode_attribute(node: Node) -> list[tuple[str, str]]:
    if isinstance(node, Sink):
        return [("changelogMode", "NONE")]
    mode = getattr(node, "mode", None)
    return [] if mode is None else [("changelogMode", str(mode))]
