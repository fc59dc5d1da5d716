"""Whether the updates of each node come with the row before, and so every node's changelog mode.

Flink: FlinkChangelogModeInferenceProgram. The root tries its wishes in order and takes the first that
the whole tree below can satisfy; a source's UPDATE_BEFORE that nobody wants is dropped above it.
Key-only deletes come from a source alone; ChangelogNormalize makes full rows of them.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from typing import Any

from firesteel.errors import InternalError
from firesteel.expr.deep import from_below
from firesteel.plan.expressions import input_refs
from firesteel.plan.physical import (
    Calc,
    ChangelogNormalize,
    DropUpdateBefore,
    Exchange,
    GroupAggregate,
    Sink,
    TableSourceScan,
    Union,
    Values,
)
from firesteel.plan.physical_windows import GroupWindowAggregate, WindowAggregate
from firesteel.plan.traits import upsert_keys
from firesteel.plan.tree import Node
from firesteel.rules.modify_kinds import (
    EVERYTHING,
    check_kinds,
    mode_of,
    modify_kinds,
    sink_mode,
    source_mode,
)
from firesteel.rules.upsert_materialize import decide_materialization, is_key_contained


class UpdateKind(Enum):
    """How updates come: there are none, the new row alone, or the row before and the new one."""

    NONE = 0
    ONLY_AFTER = 1
    BEFORE_AND_AFTER = 2


def infer_changelog_mode(root: Node, collect: bool, configuration: Any) -> Node:
    """The tree with every node's mode set. collect: the root's rows are shown, with UPDATE_BEFORE.

    Raises ValidationError where a sink cannot take what the query emits.
    """
    check_kinds(root, EVERYTHING, "ROOT")
    if isinstance(root, Sink):
        return _sink(root, configuration)
    for wish in _wishes(root, [UpdateKind.BEFORE_AND_AFTER] if collect else _PREFER_AFTER):
        satisfied = _satisfy(root, wish)
        if satisfied is not None:
            return satisfied
    raise InternalError("no changelog mode satisfies the query")


_PREFER_AFTER = [UpdateKind.ONLY_AFTER, UpdateKind.BEFORE_AND_AFTER]


def _wishes(node: Node, wishes: list[UpdateKind]) -> list[UpdateKind]:
    return wishes if "update" in modify_kinds(node) else [UpdateKind.NONE]


def _sink(sink: Sink, configuration: Any) -> Node:
    accepted = sink_mode(sink.table, modify_kinds(sink.input))
    wishes = [UpdateKind.BEFORE_AND_AFTER]
    if accepted.update_after and not accepted.update_before:
        keyed = bool(sink.table.primary_key)
        if not keyed or is_key_contained(sink):
            wishes = _PREFER_AFTER
    sink = decide_materialization(sink, accepted, configuration)
    for wish in _wishes(sink.input, wishes):
        satisfied = _satisfy(sink.input, wish)
        if satisfied is not None:
            return replace(sink, input=satisfied)
    raise InternalError("no changelog mode satisfies the sink")


@from_below
def _satisfy(node: Node, wish: UpdateKind) -> Node | None:
    """The tree emitting updates as wished, or None where it cannot."""
    if isinstance(node, TableSourceScan):
        return _scan(node, wish)
    if isinstance(node, (GroupAggregate, WindowAggregate, GroupWindowAggregate)):
        return _with_input(node, _both_or_none(node.input), wish)
    if isinstance(node, ChangelogNormalize):
        return _normalize(node, wish)
    if isinstance(node, Union):
        return _union(node, wish)
    if isinstance(node, Values):
        return replace(node, mode=mode_of(modify_kinds(node), update_before=False))
    if isinstance(node, Calc) and wish is UpdateKind.ONLY_AFTER and not _filters_keys_alone(node):
        # A row that leaves the filter could not be taken back without its UPDATE_BEFORE.
        return None
    return _with_input(node, wish, wish)


def _both_or_none(node: Node) -> UpdateKind:
    return UpdateKind.BEFORE_AND_AFTER if "update" in modify_kinds(node) else UpdateKind.NONE


def _with_input(node: Any, wish: UpdateKind, provided: UpdateKind) -> Node | None:
    below = _satisfy(node.input, wish)
    if below is None:
        return None
    mode = mode_of(modify_kinds(node), provided is UpdateKind.BEFORE_AND_AFTER)
    changed: Node = replace(node, input=below, mode=mode)
    return changed


def _filters_keys_alone(calc: Calc) -> bool:
    if calc.condition is None:
        return True
    read = set(input_refs(calc.condition))
    return any(read <= key for key in upsert_keys(calc.input))


def _scan(scan: TableSourceScan, wish: UpdateKind) -> Node | None:
    mode = source_mode(scan.table)
    scan = replace(scan, mode=mode)
    if not mode.update_after:
        return scan
    if wish is UpdateKind.BEFORE_AND_AFTER:
        return scan if mode.update_before else None
    if mode.update_before:
        return DropUpdateBefore(scan, mode=replace(mode, update_before=False))
    return scan


def _normalize(node: ChangelogNormalize, wish: UpdateKind) -> Node | None:
    if wish is UpdateKind.ONLY_AFTER and node.condition is None and _is_upsert_source(node):
        below = node.input.input if isinstance(node.input, Exchange) else node.input
        return _satisfy(below, wish)
    wanted = UpdateKind.ONLY_AFTER if "update" in modify_kinds(node.input) else UpdateKind.NONE
    return _with_input(node, wanted, wish)


def _is_upsert_source(node: Node) -> bool:
    """Whether the changes below are whole upserts already: no UPDATE_BEFORE, deletes of full rows."""
    while not isinstance(node, TableSourceScan):
        node = node.children[0]
    mode = source_mode(node.table)
    return not mode.update_before and mode.delete and not mode.key_only_delete


def _union(node: Union, wish: UpdateKind) -> Node | None:
    inputs: list[Node] = []
    for child in node.inputs:
        updates = "update" in modify_kinds(child)
        satisfied = _satisfy(child, wish if updates else UpdateKind.NONE)
        if satisfied is None:
            return None
        inputs.append(satisfied)
    mode = mode_of(modify_kinds(node), wish is UpdateKind.BEFORE_AND_AFTER)
    return replace(node, inputs=tuple(inputs), mode=mode)
