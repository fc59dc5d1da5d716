"""Find which parts of a source's nested values a job reads. A format need not create the others.

Plans do not show this: Flink passes no nested projection to files, and reads whole values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.value_parts import field_of, value_parts
from firesteel.plan.expressions.operations import walk as walk_expr
from firesteel.plan.nodes import physical
from firesteel.plan.reuse import fingerprint
from firesteel.plan.tree import Node
from firesteel.types.value_parts import WHOLE, Parts

_PASSING = (physical.MiniBatchAssigner, physical.WatermarkAssigner)
"""Operators that pass on each row unchanged."""

Needed = Mapping[int, Parts] | None
"""The parts of a node's columns that operators above it read, by position. None: all columns as a whole."""


def parts_by_scan(roots: Sequence[Node]) -> dict[str, tuple[Parts, ...]]:
    """Return the parts of each column that any reader of a scan needs, by the scan's fingerprint.

    The parts of a column are () if no operator reads the column. Scans whose columns are all read whole are
    omitted.
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


def _readings(roots: Sequence[Node]) -> Iterator[tuple[physical.TableSourceScan, Needed]]:
    """Yield (scan, needed parts) for each path from a root of the plans down to a scan.

    A Calc needs the parts that its expressions compute with. If it only passes a column on, it needs the
    parts of this column that the operators above the Calc need. A WatermarkAssigner needs the parts that its
    expression reads, and like a MiniBatchAssigner those that the operators above it need. All other operators
    need whole rows.
    """
    pending: list[tuple[Node, Needed]] = [(root, None) for root in roots]
    while pending:
        node, needed = pending.pop()
        if isinstance(node, physical.TableSourceScan):
            yield node, needed
        elif isinstance(node, physical.Calc):
            pending.append((node.input, _of_calc(node, needed)))
        elif isinstance(node, _PASSING):
            own = [node.expression] if isinstance(node, physical.WatermarkAssigner) else []
            below = None if needed is None else _union([needed, value_parts(own)])
            pending.append((node.input, below))
        else:
            pending += [(child, None) for child in node.children]


def _of_calc(calc: physical.Calc, needed: Needed) -> Needed:
    """Return the parts of its input that a Calc needs to compute the `needed` parts of its output."""
    exprs = [*calc.exprs, *([] if calc.condition is None else [calc.condition])]
    if any(map(_calls_users, exprs)):
        return None  # The error of a user-defined function shows the whole row: all is needed.
    if needed is None:
        return value_parts(exprs)
    found = []
    for index, expr in enumerate(exprs):
        field = field_of(expr)
        if field is None or index == len(calc.exprs):
            found.append(value_parts([expr]))
        else:
            column, path = field
            found.append({column: tuple(path + part for part in needed.get(index, ()))})
    return _union(found)


def _union(many: Iterable[Mapping[int, Parts]]) -> dict[int, Parts]:
    found: dict[int, Parts] = {}
    for parts in many:
        for column, more in parts.items():
            found[column] = tuple(dict.fromkeys([*found.get(column, ()), *more]))
    return found


def _calls_users(expr: Expr) -> bool:
    return any(isinstance(part, Call) and part.user is not None for part in walk_expr(expr))
