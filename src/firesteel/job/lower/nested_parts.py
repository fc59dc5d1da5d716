"""Which parts of a source's nested values a job looks at: a format need not make the others.

Plans show nothing of it: Flink's files are given no nested projection, and read whole values.
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
"""They hand on each row as it came."""


def parts_by_scan(roots: Sequence[Node]) -> dict[str, tuple[Parts, ...]]:
    """The parts of each column that any of a scan's readers looks at, by the scan's fingerprint; none of a
    column that nobody does. Scans whose columns are all looked at as a whole are left out."""
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
    """Each scan with what one of its readers looks at, None for all."""
    for root in roots:
        yield from _reading(None, root)
        for node in walk(root):
            if not isinstance(node, _PASSING):
                for child in node.children:
                    yield from _reading(node, child)


def _reading(
    reader: Node | None, node: Node
) -> Iterator[tuple[physical.TableSourceScan, dict[int, Parts] | None]]:
    """The scan that a node reads, if it is one; what hands its rows on unchanged looks at them, too."""
    exprs: list[Expr] = []
    while isinstance(node, _PASSING):
        exprs += [node.expression] if isinstance(node, physical.WatermarkAssigner) else []
        node = node.input
    if not isinstance(node, physical.TableSourceScan):
        return
    if isinstance(reader, physical.Calc):
        exprs += [*reader.exprs, *([] if reader.condition is None else [reader.condition])]
        shown = any(map(_calls_users, exprs))  # where its function fails, the user is told the whole row
        yield node, None if shown else value_parts(exprs)
    else:
        yield node, None


def _calls_users(expr: Expr) -> bool:
    return any(isinstance(part, Call) and part.user is not None for part in walk_expr(expr))
