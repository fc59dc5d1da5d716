"""The order of the rules: from a bound query to the physical plan, as Flink's stream program has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from firesteel.plan.tree import Node, transform_up
from firesteel.rules.choose_retraction import choose_retraction
from firesteel.rules.coerce_union_inputs import coerce_union_inputs
from firesteel.rules.infer_changelog_mode import infer_changelog_mode
from firesteel.rules.merge_projects import merge_projects
from firesteel.rules.normalize_upserts import filter_in_normalization, normalize_upserts
from firesteel.rules.push_filters import push_filters
from firesteel.rules.push_projects import push_projects
from firesteel.rules.to_physical import scan_to_physical, to_physical

Rule = Callable[[Node], Node]

LOGICAL_RULES: tuple[tuple[Rule, str], ...] = (
    (coerce_union_inputs, "the rows of a union have one type; before filters pass through it"),
    (merge_projects, "one projection between two other operators"),
    (push_filters, "fewer rows as early as can be"),
    (merge_projects, "filters that moved may have left projections side by side"),
    (scan_to_physical, "what is pushed into a scan is kept by its physical form"),
)
"""Applied one after the other, each to the whole tree from the leaves up."""

PHYSICAL_RULES: tuple[tuple[Rule, str], ...] = (
    (filter_in_normalization, "a row that leaves the filter is then a delete, and needs no UPDATE_BEFORE"),
    (choose_retraction, "needs the kinds of change below, and decides what an error calls the node"),
)
"""Applied after the projections were pushed and the tree made physical; the changelog mode comes last."""


def optimize(logical: Node, configuration: Mapping[str, str], collect: bool = False) -> Node:
    """The physical plan of a bound query; its root is a Sink for an INSERT.

    collect: the rows of a bare SELECT are shown, which takes UPDATE_BEFORE; EXPLAIN of one does not.
    Raises ValidationError in Flink's words where a sink cannot take what the query emits.
    """
    node = logical
    for rule, _ in LOGICAL_RULES:
        node = transform_up(node, rule)
    node = transform_up(node, partial(normalize_upserts, configuration=configuration))
    node = to_physical(push_projects(node))
    for rule, _ in PHYSICAL_RULES:
        node = transform_up(node, rule)
    return infer_changelog_mode(node, collect, configuration)
