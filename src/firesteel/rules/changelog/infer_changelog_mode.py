"""Infer every node's changelog mode: the changes that it sends, and whether updates include the old row.

Flink: FlinkChangelogModeInferenceProgram. The root asks for forms of updates (UpdateKind) in the order of its
preference, and takes the first that the whole tree below can send. A source's UPDATE_BEFORE that no node
needs is dropped above the source. Only sources send deletes with key columns alone; ChangelogNormalize makes
full rows of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from firesteel.errors import InternalError
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.metadata import kinds_sent, kinds_taken, updates_wanted
from firesteel.plan.nodes.physical import (
    ChangelogNormalize,
    DropUpdateBefore,
    Exchange,
    Sink,
    TableSourceScan,
)
from firesteel.plan.nodes.rank.physical import RETRACT, UPDATE, Rank, SortLimit
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.properties.changelog_modes import (
    EVERYTHING,
    UpdateKind,
    mode_of,
    sends_updates,
    sink_mode,
    source_mode,
    updates_or_none,
)
from firesteel.plan.tree import Node, PhysicalNode
from firesteel.rules.changelog.replaced_rows import takes_replacing_rows
from firesteel.rules.changelog.upsert_materialize import decide_materialization, is_key_contained
from firesteel.rules.normalize.check_kinds import check_kinds


def infer_changelog_mode(root: Node, collect: bool, configuration: Any) -> Node:
    """Return the tree with every node's changelog mode set.

    Args:
        root: Root of the tree.
        collect: Whether the changes of the root, a SELECT, are shown to the user. Then the root must send
            UPDATE_BEFORE. If False, updates without it are preferred.
        configuration: Options of the session.

    Raises:
        ValidationError: A sink cannot accept the changes of the query.
    """
    if isinstance(root, Sink):
        check_kinds(root.input, kinds_taken(root), f"Table sink '{'.'.join(root.table.path)}'")
        return _sink(root, configuration)
    check_kinds(root, EVERYTHING, "ROOT")
    for wish in _wishes(root, [UpdateKind.BEFORE_AND_AFTER] if collect else _PREFER_AFTER):
        satisfied = _satisfy(root, wish)
        if satisfied is not None:
            return satisfied
    raise InternalError("no changelog mode satisfies the query")


_PREFER_AFTER = [UpdateKind.ONLY_AFTER, UpdateKind.BEFORE_AND_AFTER]


def _wishes(node: Node, wishes: list[UpdateKind]) -> list[UpdateKind]:
    return wishes if sends_updates(node) else [UpdateKind.NONE]


def _sink(sink: Sink, configuration: Any) -> Node:
    accepted = sink_mode(sink.table, kinds_sent(sink.input))
    wishes = [UpdateKind.BEFORE_AND_AFTER]
    if accepted.update_after and not accepted.update_before:
        keyed = bool(sink.table.primary_key)
        if not keyed or is_key_contained(sink):
            wishes = _PREFER_AFTER
    sink = decide_materialization(sink, sink_mode(sink.table, kinds_sent(sink.input), False), configuration)
    for wish in _wishes(sink.input, wishes):
        satisfied = _satisfy(sink.input, wish)
        if satisfied is not None and (wish is not UpdateKind.ONLY_AFTER or takes_replacing_rows(satisfied)):
            return replace(sink, input=satisfied)
    raise InternalError("no changelog mode satisfies the sink")


@from_below
def _satisfy(node: Node, wish: UpdateKind) -> Node | None:
    """Return the tree that sends updates in the wished form, or None if it cannot."""
    if isinstance(node, ChangelogNormalize) and wish is UpdateKind.ONLY_AFTER and _is_needless(node):
        below = node.input.input if isinstance(node.input, Exchange) else node.input
        return _satisfy(below, wish)
    wanted = updates_wanted(node, wish)
    if wanted is None:
        return None
    if isinstance(node, (Rank, SortLimit)) and node.strategy == UPDATE:
        return _satisfied(node, wish, wanted) or _satisfy(replace(node, strategy=RETRACT), wish)
    if isinstance(node, TemporalJoin):  # versions may come with or without the old row
        whole = (wanted[0], updates_or_none(node.inputs[1], UpdateKind.BEFORE_AND_AFTER))
        return _satisfied(node, wish, wanted) or _satisfied(node, wish, whole)
    return _satisfied(node, wish, wanted)


def _satisfied(node: Node, wish: UpdateKind, wanted: tuple[UpdateKind, ...]) -> Node | None:
    """Return the tree with updates of each input in the wanted form, or None if an input cannot send them."""
    inputs = [_satisfy(child, kind) for child, kind in zip(node.children, wanted, strict=True)]
    satisfied = tuple(child for child in inputs if child is not None)
    if len(satisfied) < len(inputs):
        return None
    if isinstance(node, TableSourceScan):
        return _scan(node, wish)
    assert isinstance(node, PhysicalNode)
    mode = mode_of(kinds_sent(node), wish is UpdateKind.BEFORE_AND_AFTER)
    return replace(node.with_children(satisfied), mode=mode)


def _scan(scan: TableSourceScan, wish: UpdateKind) -> Node:
    mode = source_mode(scan.table)
    scan = replace(scan, mode=mode)
    if mode.update_after and mode.update_before and wish is not UpdateKind.BEFORE_AND_AFTER:
        return DropUpdateBefore(scan, mode=replace(mode, update_before=False))
    return scan


def _is_needless(node: ChangelogNormalize) -> bool:
    """Return whether the node has no filter, and its source sends upserts whose deletes have full rows."""
    source: Node = node
    while not isinstance(source, TableSourceScan):
        source = source.children[0]
    mode = source_mode(source.table)
    return node.condition is None and not mode.update_before and mode.delete and not mode.key_only_delete
