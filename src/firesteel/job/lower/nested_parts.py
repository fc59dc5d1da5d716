"""Find which parts of a source's nested values a job reads. A format need not create the others.

Plans do not show this: Flink passes no nested projection to files, and reads whole values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.value_parts import value_parts
from firesteel.plan.expressions.operations import walk as walk_expr
from firesteel.plan.nodes import physical
from firesteel.plan.reuse import fingerprint
from firesteel.plan.tree import Node, walk
from firesteel.types.value_parts import WHOLE, Parts

_PASSING = (physical.MiniBatchAssigner, physical.WatermarkAssigner)
"""Operators that pass on each row unchanged."""


def parts_by_scan(roots: Sequence[Node]) -> dict[str, tuple[Parts, ...]]:
    """Return the parts of each column that any reader of a scan needs, by the scan's fingerprint.

    A column without readers has no parts. Scans whose columns are all read whole are omitted.
    """
    found: dict[str, list[Parts]] = {}
    for scan, read in _readings(roots):
        columns = found.setdefault(fingerprint(scan), [()] * len(scan.schema))
        for index in range(len(columns)):
            columns[index] += WHOLE if read is None else read.get(index, ())
    return {
        mark: tuple(tuple(dict.fromkeys(column)) for column in columns)
        for mark, columns in found.items()
        if any(() not in column for column in columns)
    }


def _readings(roots: Sequence[Node]) -> Iterator[tuple[physical.TableSourceScan, dict[int, Parts] | None]]:
    """Yield each scan with the parts that one of its readers needs, None for all."""
    for root in roots:
        yield from _reading(None, root)
        for node in walk(root):
            if not isinstance(node, _PASSING):
                for child in node.children:
                    yield from _reading(node, child)


def _reading(
    reader: Node | None, node: Node
) -> Iterator[tuple[physical.TableSourceScan, dict[int, Parts] | None]]:
    """Yield the scan that a node reads, if it reads one directly.

    An operator that passes rows on unchanged also reads the columns that it uses itself.
    """
    exprs: list[Expr] = []
    while isinstance(node, _PASSING):
        exprs += [node.expression] if isinstance(node, physical.WatermarkAssigner) else []
        node = node.input
    if not isinstance(node, physical.TableSourceScan):
        return
    if isinstance(reader, physical.Calc):
        exprs += [*reader.exprs, *([] if reader.condition is None else [reader.condition])]
        # If a user-defined function fails, its error shows the whole row.
        shown = any(map(_calls_users, exprs))
        yield node, None if shown else value_parts(exprs)
    else:
        yield node, None


def _calls_users(expr: Expr) -> bool:
    return any(isinstance(part, Call) and part.user is not None for part in walk_expr(expr))
