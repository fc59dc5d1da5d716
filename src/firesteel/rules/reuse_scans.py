"""Scans of one table that differ in their columns alone read the union of them, so that they can be one.

Flink: ScanReuser. A projection above each takes what it had; scans with different filters stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.expr.nodes import InputRef
from firesteel.plan.expression_text import prefix_text
from firesteel.plan.expressions import is_identity, renumber
from firesteel.plan.physical import Calc, TableSourceScan
from firesteel.plan.tree import Field, Node, transform_up, walk

Key = tuple[tuple[str, str, str], tuple[str, ...]]


def reuse_scans(roots: Sequence[Node]) -> list[Node]:
    """The plans with their scans widened."""
    columns: dict[Key, set[tuple[int, ...]]] = {}
    for scan in (n for root in roots for n in walk(root) if isinstance(n, TableSourceScan)):
        columns.setdefault(_key(scan), set()).add(_project(scan))
    wide = {key: sorted({i for p in given for i in p}) for key, given in columns.items() if len(given) > 1}
    if not wide:
        return list(roots)
    return [transform_up(root, lambda node: _merged(_widened(node, wide))) for root in roots]


def _key(scan: TableSourceScan) -> Key:
    names = [f.name for f in scan.columns]
    return scan.table.path, tuple(prefix_text(term, names) for term in scan.filter)


def _all_columns(scan: TableSourceScan) -> tuple[Field, ...]:
    """Every column that the table has to read, in declared order (plan.logical.Scan)."""
    columns = [c for c in scan.table.columns if c.is_physical]
    columns += [c for c in scan.table.columns if c.metadata is not None]
    return tuple(Field(c.name, c.type) for c in columns)


def _project(scan: TableSourceScan) -> tuple[int, ...]:
    return tuple(range(len(scan.columns))) if scan.project is None else scan.project


def _widened(node: Node, wide: dict[Key, list[int]]) -> Node:
    if not isinstance(node, TableSourceScan) or _key(node) not in wide:
        return node
    wanted, given = wide[_key(node)], _project(node)
    if tuple(wanted) == given:
        return replace(node, project=given)
    table = _all_columns(node)
    position = {old: wanted.index(column) for old, column in enumerate(given)}
    scan = replace(
        node,
        columns=tuple(table[i] for i in wanted),
        project=tuple(wanted),
        filter=tuple(renumber(term, position) for term in node.filter),
    )
    exprs = tuple(InputRef(position[i], f.type) for i, f in enumerate(node.columns))
    return Calc(scan, exprs, tuple(f.name for f in node.columns))


def _merged(node: Node) -> Node:
    """A Calc right above one that only picks columns, as one."""
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
    return Calc(below.input, exprs, node.names, condition)
