"""Widen scans of one table that differ only in their columns, so that they become equal.

    Scan(t, a)  and  Scan(t, b)   ->   Calc(a)  Scan(t, a, b)  and  Calc(b)  Scan(t, a, b)

Flink: ScanReuser, which runs last. A projection above each scan restores its columns, below a
MiniBatchAssigner. Scans with different filters stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import is_identity, renumber
from firesteel.plan.expressions.text import prefix_text
from firesteel.plan.nodes.physical import Calc, TableSourceScan
from firesteel.plan.tree import Node, transform_up, walk

Key = tuple[tuple[str, str, str], tuple[str, ...]]


def reuse_scans(roots: Sequence[Node]) -> list[Node]:
    """Return the plans with their scans widened."""
    columns: dict[Key, set[tuple[int, ...]]] = {}
    for scan in (n for root in roots for n in walk(root) if isinstance(n, TableSourceScan)):
        columns.setdefault(_key(scan), set()).add(_project(scan))
    wide = {key: sorted({i for p in given for i in p}) for key, given in columns.items() if len(given) > 1}
    if not wide:
        return list(roots)
    return [transform_up(root, lambda node: _merged(_widened(node, wide))) for root in roots]


def _key(scan: TableSourceScan) -> Key:
    names = [f.name for f in scan.schema]
    return scan.table.path, tuple(prefix_text(term, names) for term in scan.filter)


def _project(scan: TableSourceScan) -> tuple[int, ...]:
    return tuple(range(len(scan.schema))) if scan.project is None else scan.project


def _widened(node: Node, wide: dict[Key, list[int]]) -> Node:
    if not isinstance(node, TableSourceScan) or _key(node) not in wide:
        return node
    wanted, given = wide[_key(node)], _project(node)
    if tuple(wanted) == given:
        return replace(node, project=given)
    position = {old: wanted.index(column) for old, column in enumerate(given)}
    scan = replace(
        node,
        project=tuple(wanted),
        filter=tuple(renumber(term, position) for term in node.filter),
    )
    exprs = tuple(InputRef(position[i], f.type) for i, f in enumerate(node.schema))
    return Calc(scan, exprs, tuple(f.name for f in node.schema), mode=node.mode)


def _merged(node: Node) -> Node:
    """Return a Calc merged with a Calc below that only picks columns."""
    if not isinstance(node, Calc) or not isinstance(node.input, Calc):
        return node
    below = node.input
    picks = [e.index for e in below.exprs if isinstance(e, InputRef)]
    if below.condition is not None or len(picks) != len(below.exprs):
        return node
    position = dict(enumerate(picks))
    exprs = tuple(renumber(e, position) for e in node.exprs)
    condition = None if node.condition is None else renumber(node.condition, position)
    if condition is None and is_identity(exprs, len(below.input.schema)):
        return below.input
    return replace(node, input=below.input, exprs=exprs, condition=condition)
