"""Which kinds of change every node can emit, and the refusal where a consumer cannot take them.

Flink: SatisfyModifyKindSetTraitVisitor, the first pass of FlinkChangelogModeInferenceProgram.
"""

from __future__ import annotations

from firesteel.catalog.schema import Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, ChangelogMode
from firesteel.errors import InternalError, ValidationError
from firesteel.expr.deep import from_below, remembered
from firesteel.plan.node_text import digest
from firesteel.plan.physical import ChangelogNormalize, GroupAggregate, Sink, TableSourceScan, Values
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node

Kinds = frozenset[str]
"""Some of insert, update and delete."""

INSERTS: Kinds = frozenset({"insert"})
EVERYTHING: Kinds = frozenset({"insert", "update", "delete"})


_OWN_KINDS = (
    GroupAggregate,
    WindowAggregate,
    GroupWindowAggregate,
    ChangelogNormalize,
    TableSourceScan,
    Values,
)
"""Nodes that take every kind of change; what they emit is their own doing."""


@remembered
def modify_kinds(node: Node) -> Kinds:
    """What the node can emit, from what its inputs can."""
    if isinstance(node, TableSourceScan):
        return kinds_of(source_mode(node.table))
    if isinstance(node, (Values, WindowAggregate)):
        return INSERTS
    if isinstance(node, GroupWindowAggregate):
        return frozenset({"insert", "update"}) if node.updates else INSERTS
    if isinstance(node, GroupAggregate):
        retracts = modify_kinds(node.input) - INSERTS
        return EVERYTHING if retracts else frozenset({"insert", "update"})
    if isinstance(node, ChangelogNormalize):
        return EVERYTHING
    return frozenset().union(*map(modify_kinds, node.children))


@from_below
def check_kinds(node: Node, accepted: Kinds, requester: str) -> None:
    """Raises ValidationError, in Flink's words, where the node emits what the requester cannot take."""
    emitted = modify_kinds(node)
    if isinstance(node, Sink):
        name = ".".join(node.table.path)
        check_kinds(node.input, kinds_of(sink_mode(node.table, emitted)), f"Table sink '{name}'")
        return
    if isinstance(node, _OWN_KINDS):
        refused = emitted - accepted
        if refused:
            raise ValidationError(
                f"{requester} doesn't support consuming {_listed(refused)} changes "
                f"which is produced by node {digest(node)}"
            )
        accepted, requester = EVERYTHING, type(node).__name__
    for child in node.children:
        check_kinds(child, accepted, requester)


def _listed(kinds: Kinds) -> str:
    return " and ".join(kind for kind in ("insert", "update", "delete") if kind in kinds)


def source_mode(table: Table) -> ChangelogMode:
    """The changes that a table brings as a source."""
    if table.traits is None:
        raise InternalError(f"table '{table.name}' has no traits")
    return table.traits.changelog_mode


def kinds_of(mode: ChangelogMode) -> Kinds:
    named = {"insert": mode.insert, "update": mode.update_after, "delete": mode.delete}
    return frozenset(kind for kind, there in named.items() if there)


def mode_of(kinds: Kinds, update_before: bool) -> ChangelogMode:
    """The mode of a stream of these kinds, its updates with or without the row before."""
    updates = "update" in kinds
    return ChangelogMode("insert" in kinds, updates and update_before, updates, "delete" in kinds)


def sink_mode(table: Table, requested: Kinds) -> ChangelogMode:
    """What a sink takes of a query that emits these kinds (Flink: DynamicTableSink.getChangelogMode)."""
    mode = table.traits.sink_mode if table.traits else "insert-only"
    if mode == "all":
        return ALL
    if mode == "upsert":
        return UPSERT
    if mode == "insert-only":
        return INSERT_ONLY
    return mode_of(requested, update_before=mode == "requested")
