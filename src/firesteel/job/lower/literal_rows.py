"""Merge of VALUES rows that are planned as a union into one source.

A row with a CAST is a projection of one row, as in Flink, and all rows together are a union of these. A
thousand rows would be a thousand chains.

    Union(Calc(1 AS a), Calc(null AS a), Calc(2 AS a))   ->   Values((1), (null), (2))
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node

Row = tuple[Literal, ...]


def inputs_to_read(node: physical.Union) -> Iterator[tuple[int, Node]]:
    """Yield (position in the union, input) for each input of a union.

    Adjacent inputs that are rows of literals become one Values node, with the position of its first row.

    Args:
        node: The union.
    """
    rows: list[Row] = []
    for number, child in enumerate(node.inputs):
        row = _literal_row(child)
        if row is not None:
            rows.append(row)
            continue
        if rows:
            yield number - len(rows), _values(node, number - len(rows), rows)
            rows = []
        yield number, child
    if rows:
        first = len(node.inputs) - len(rows)
        yield first, _values(node, first, rows)


def _values(node: physical.Union, first: int, rows: list[Row]) -> Node:
    if len(rows) == 1:
        return node.inputs[first]
    return physical.Values(node.schema, tuple(rows))


def _literal_row(node: Node) -> Row | None:
    """Return the values of a node that projects one row of literals, None for any other node."""
    if not isinstance(node, physical.Calc) or node.condition is not None:
        return None
    below = node.input
    if not isinstance(below, physical.Values) or len(below.rows) != 1:
        return None
    found = tuple(value for value in map(_literal, node.exprs) if value is not None)
    return found if len(found) == len(node.exprs) else None


def _literal(expr: Expr) -> Literal | None:
    if isinstance(expr, Literal):
        return expr
    if isinstance(expr, Call) and expr.function == "CAST" and not expr.options:
        inner = _literal(expr.args[0])
        value = expr if inner is None else cast(inner, expr.type)
        return value if isinstance(value, Literal) else None
    return None
