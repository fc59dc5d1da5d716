"""Estimated size of a row in bytes, by the types of its columns and by literals (Flink: FlinkRelMdSize)."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import AggregateCall, InputRef, Literal
from firesteel.functions.expression.recursion import remembered
from firesteel.plan.expressions.cost import BYTES, NULL_SIZE, Sizes, expression_size, literal_size, type_size
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.accumulators import buffers
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.tree import Node
from firesteel.types.sql import TypeRoot

_VIEW = 128.0
"""Size of a map, a list or any other object in an accumulator."""
_BITMAPS = (("AND", _VIEW + 4), ("XOR", _VIEW + 4), ("OR", 2 * _VIEW + 4))
_RETRACTING = {
    "LISTAGG": 2 * _VIEW,
    "BITMAP_BUILD_AGG": 2 * _VIEW,
    "BITMAP_BUILD_CARDINALITY_AGG": 2 * _VIEW,
    **{f"BITMAP_{name}_AGG": size for name, size in _BITMAPS},
    **{f"BITMAP_{name}_CARDINALITY_AGG": size for name, size in _BITMAPS},
}
"""Bytes of an accumulator by function, if the aggregate's input has retractions."""

LocalAggregate = (
    physical.LocalGroupAggregate | physical.IncrementalGroupAggregate | physical_windows.LocalWindowAggregate
)
_LOCAL = (
    physical.LocalGroupAggregate,
    physical.IncrementalGroupAggregate,
    physical_windows.LocalWindowAggregate,
)


def row_size(node: Node) -> float:
    """Return the estimated size of a row of a node's output, in bytes.

    Raises:
        NotSupportedError: A type has no size.
    """
    return sum(column_sizes(node), start=0.0)


@remembered
def column_sizes(node: Node) -> Sizes:
    """Return the estimated size of each column of a node's output, in bytes."""
    if isinstance(node, physical.Calc):
        below = column_sizes(node.input)
        return tuple(expression_size(expr, below) for expr in node.exprs)
    if isinstance(node, physical.Exchange):
        return column_sizes(node.input)
    if isinstance(node, physical.Expand):
        return _expanded(node)
    if isinstance(node, physical.Union):
        return tuple(map(_mean, zip(*map(column_sizes, node.inputs), strict=True)))
    if isinstance(node, physical.Values) and node.rows:
        return tuple(_mean([literal_size(cell) for cell in cells]) for cells in zip(*node.rows, strict=True))
    if isinstance(node, _LOCAL):
        return _accumulated(node)
    return tuple(type_size(field.type) for field in node.schema)


def _accumulated(node: LocalAggregate) -> Sizes:
    """Return the estimated size of each column of a local aggregate's output, in bytes.

    The columns are the keys, then the accumulators of each call. Behind them are the columns `distinct$<i>`,
    one for each argument list of DISTINCT calls, with the set of values seen (not in an
    IncrementalGroupAggregate), and in a window aggregate the end of the slice or window.
    """
    sizes = [type_size(field.type) for field in node.schema]
    at = len(node.final_keys if isinstance(node, physical.IncrementalGroupAggregate) else node.keys)
    for call, retracts in zip(node.calls, node.retract, strict=True):
        size = _object_size(call, retracts)
        if size is not None:
            sizes[at] = size
        at += len(buffers(call, retracts))
    return tuple(sizes)


def _object_size(call: AggregateCall, retracts: bool) -> float | None:
    """Return the size of an accumulator that is an object with several fields. None for a plain value.

    `retracts` says whether the aggregate's input has retractions, which need larger accumulators.

    Flink: getAccumulatorDataType of MaxWithRetractAggFunction and of other aggregate functions.
    """
    function = call.function
    if function in ("MIN", "MAX"):
        return type_size(call.type) + BYTES[TypeRoot.BIGINT] + _VIEW if retracts else None
    if function == "LISTAGG" and len(call.args) > 1 and retracts:
        return 2 * _VIEW + BYTES[TypeRoot.VARCHAR]
    if function in ("ARRAY_AGG", "PERCENTILE"):
        return 2 * _VIEW
    if function == "$WELFORD_M2$1":
        return 24.0
    return _RETRACTING.get(function) if retracts else None


def _mean(sizes: Sequence[float]) -> float:
    return sum(sizes, start=0.0) / len(sizes)


def _expanded(node: physical.Expand) -> Sizes:
    """Return the estimated size of each column of an Expand, which sends a row once for each projection.

    The size of a column depends on its values in the projections:
    - one column of the input (or NULL): the size of the input's column
    - several columns of the input, or the number of the projection: the size of the column's type
    - always NULL: NULL_SIZE
    """
    below = column_sizes(node.input)
    found = []
    for field, cells in zip(node.schema, zip(*node.projects, strict=True), strict=True):
        shown = {cell.index for cell in cells if isinstance(cell, InputRef)}
        if shown:
            found.append(below[shown.pop()] if len(shown) == 1 else type_size(field.type))
        else:
            numbered = any(isinstance(cell, Literal) and cell.value is not None for cell in cells)
            found.append(type_size(field.type) if numbered else NULL_SIZE)
    return tuple(found)
