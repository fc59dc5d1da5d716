"""EXPLAIN's answer: its sections, each under its heading."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from firesteel.changelog import ChangelogMode
from firesteel.errors import NotSupportedError
from firesteel.explain.ast import ast_line
from firesteel.explain.tree_text import tree_text
from firesteel.plan.converted import converted
from firesteel.plan.expression_text import prefix_text
from firesteel.plan.node_text import attributes, execution_digest, line
from firesteel.plan.physical import Sink
from firesteel.plan.tree import Node


def explain(logical: Node, physical: Node, details: Collection[str]) -> str:
    """One query's plans. details: CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE.

    Raises NotSupportedError for ESTIMATED_COST.
    """
    return explain_all([(logical, physical)], details)


def explain_all(plans: Sequence[tuple[Node, Node]], details: Collection[str]) -> str:
    """The plans of the INSERTs of a statement set."""
    if "ESTIMATED_COST" in details:
        raise NotSupportedError("EXPLAIN ESTIMATED_COST is not supported", hint="leave ESTIMATED_COST out")
    changelog = "CHANGELOG_MODE" in details

    def physical_line(node: Node) -> str:
        found = attributes(node, prefix_text)
        return line(node, [*found, *_mode(node)] if changelog else found)

    sections = [
        ("Abstract Syntax Tree", [tree_text(converted(bound), ast_line) for bound, _ in plans]),
        ("Optimized Physical Plan", [tree_text(plan, physical_line) for _, plan in plans]),
        ("Optimized Execution Plan", [tree_text(plan, execution_digest) for _, plan in plans]),
    ]
    return "\n".join(f"== {title} ==\n" + "\n\n".join(trees) + "\n" for title, trees in sections)


def _mode(node: Node) -> list[tuple[str, str]]:
    if isinstance(node, Sink):
        return [("changelogMode", "NONE")]
    mode: ChangelogMode | None = getattr(node, "mode", None)
    return [] if mode is None else [("changelogMode", str(mode))]
