"""Estimated cost of a plan, as EXPLAIN ESTIMATED_COST prints it.

Flink: FlinkCost, FlinkRelMdCumulativeCost and the nodes' computeSelfCost.
"""

from __future__ import annotations

from typing import NamedTuple

from firesteel.explain.row_count import row_count
from firesteel.explain.row_size import row_size
from firesteel.functions.expression.recursion import remembered
from firesteel.plan.expressions.cost import is_computation
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node
from firesteel.types.primitive_text import double_text

_SERIALIZE = 160
_HASH = 8
_SINGLETON = 1


class Cost(NamedTuple):
    """Cost of a node or a plan.

    Attributes:
        rows: Number of rows.
        cpu: CPU, without a unit.
        io: Bytes read.
        network: Bytes sent.
        memory: Bytes of memory.
    """

    rows: float
    cpu: float
    io: float = 0.0
    network: float = 0.0
    memory: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Return the sum of both costs."""
        return Cost(*(a + b for a, b in zip(self, other, strict=True)))

    def __str__(self) -> str:
        parts = zip(map(double_text, self), self._fields, strict=True)
        return "{" + ", ".join(f"{value} {name}" for value, name in parts) + "}"


def cost_text(node: Node) -> str:
    """Return the text of a node's cost: `: rowcount = 1.0E8, cumulative cost = {...}`.

    Raises:
        NotSupportedError: The plan has a node or an expression without an estimate.
    """
    return f": rowcount = {double_text(row_count(node))}, cumulative cost = {_cumulative(node)}"


@remembered
def _cumulative(node: Node) -> Cost:
    found = _own(node)
    for child in node.children:
        found = found.plus(_cumulative(child))
    return found


def _own(node: Node) -> Cost:
    """Return the cost of the node without its inputs.

    Scans, Calcs, exchanges and VALUES have rules of their own. Any other node costs one unit of CPU a row.
    """
    rows = row_count(node)
    if isinstance(node, physical.TableSourceScan):
        return Cost(rows, rows, rows * row_size(node))
    if isinstance(node, physical.Calc):
        return Cost(rows, rows * sum(map(is_computation, node.exprs)))
    if isinstance(node, physical.Exchange):
        send = _HASH * len(node.keys) if node.keys else _SINGLETON
        return Cost(rows, (send + _SERIALIZE) * rows, network=row_size(node.input) * rows)
    if isinstance(node, physical.Values):
        return Cost(rows, 1.0)
    return Cost(rows, rows)
