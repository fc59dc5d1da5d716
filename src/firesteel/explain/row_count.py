"""Estimated number of rows that a node sends, without statistics.

Flink: FlinkRelMdRowCount, FlinkRelMdSelectivity.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below, remembered
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.selectivity import estimated, guessed
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Window

_TABLE = 1e8
_ARITHMETIC = ("+", "-", "*", "/", "%")
_SAME_ROWS = (
    physical.Exchange,
    physical.GroupAggregate,
    physical.LocalGroupAggregate,
    physical.GlobalGroupAggregate,
    physical.IncrementalGroupAggregate,
    physical.ChangelogNormalize,
    physical.DropUpdateBefore,
    physical.WatermarkAssigner,
    physical.MiniBatchAssigner,
    physical.Sink,
    physical_windows.WindowAggregate,
    physical_windows.LocalWindowAggregate,
    physical_windows.GlobalWindowAggregate,
    physical_windows.GroupWindowAggregate,
)
"""Nodes that are estimated to send as many rows as they receive, aggregates among them."""

_SAME_COLUMNS = (
    physical.Exchange,
    physical.WatermarkAssigner,
    physical.ChangelogNormalize,
    physical.DropUpdateBefore,
    physical.MiniBatchAssigner,
)


@remembered
def row_count(node: Node) -> float:
    """Return the estimated number of rows of a node, at least 1.

    Raises:
        NotSupportedError: The plan has a node or a condition without an estimate.
    """
    if isinstance(node, _SAME_ROWS):
        return row_count(node.input)
    if type(node) not in _COUNTS:
        raise _refused(f"a plan with a {type(node).__name__}")
    return max(1.0, _COUNTS[type(node)](node))


def _refused(what: str) -> NotSupportedError:
    return NotSupportedError(
        f"EXPLAIN ESTIMATED_COST of {what} is not supported", hint="leave ESTIMATED_COST out"
    )


def _calc(node: physical.Calc) -> float:
    if node.condition is None:
        return row_count(node.input)
    return row_count(node.input) * selectivity(node.input, node.condition)


def _windows(node: physical_windows.WindowTableFunction) -> float:
    return row_count(node.input) * _copies(node.windowing.window)


def _copies(window: Window) -> int:
    """Return the number by which Flink multiplies the rows: of the windows that a row is in.

    For SESSION, Flink takes the gap in milliseconds, as a 32-bit int, for this number.

    Flink: CommonPhysicalWindowTableFunction.estimateRowCount.
    """
    if window.function != "SESSION":
        return window.copies
    return (window.size + 2**31) % 2**32 - 2**31


_COUNTS: dict[type[Node], Callable[..., float]] = {
    physical.TableSourceScan: lambda node: _TABLE,
    physical.Values: lambda node: float(len(node.rows)),
    physical.Calc: _calc,
    physical.Expand: lambda node: row_count(node.input) * len(node.projects),
    physical.Union: lambda node: sum(map(row_count, node.inputs), start=0.0),
    physical_windows.WindowTableFunction: _windows,
}


@from_below
def selectivity(node: Node, condition: Expr) -> float:
    """Return the estimated fraction of a node's rows that satisfy a condition.

    Raises:
        NotSupportedError: The condition reads a column whose values Flink may know to be limited, such as by
            another condition below.
    """
    if isinstance(node, (physical.TableSourceScan, physical_windows.WindowTableFunction, physical.Calc)):
        if any(_has_interval(node, column) for column in input_refs(condition)):
            raise _refused("a condition on a column whose values are limited already")
        return estimated(condition)
    if isinstance(node, physical.Exchange):
        return selectivity(node.input, condition)
    if isinstance(node, physical.Expand) and not _reads_expand_id(node, condition):
        return selectivity(node.input, condition)
    if isinstance(node, physical.Union):
        counts = [row_count(child) for child in node.inputs]
        left = [selectivity(c, condition) * n for c, n in zip(node.inputs, counts, strict=True)]
        return sum(left) / sum(counts)
    return guessed(condition)


def _reads_expand_id(node: physical.Expand, condition: Expr) -> bool:
    """Return whether a condition reads a column of an Expand that its input does not have.

    Such columns are `$e`, the number of the projection that made the row, and all columns at positions that
    the input does not have.
    """
    width = len(node.input.schema)
    return any(column >= width or _is_number(node.projects[0][column]) for column in input_refs(condition))


def _is_number(cell: Expr) -> bool:
    return isinstance(cell, Literal) and cell.value is not None


@from_below
def _has_interval(node: Node, column: int) -> bool:
    """Return whether Flink may know bounds of a column's values, such as 0 to 9 after `WHERE x < 10`.

    Flink then estimates a condition on the column by the bounds, which Firesteel does not support.

    Flink: FlinkRelMdColumnInterval.
    """
    if isinstance(node, physical.Union):
        return all(_has_interval(child, column) for child in node.inputs)
    if isinstance(node, physical.Expand):
        shown = {cell.index for row in node.projects if isinstance(cell := row[column], InputRef)}
        return any(_has_interval(node.input, index) for index in shown)
    if isinstance(node, physical.Calc):
        return _limited(node.exprs[column], node)
    if isinstance(node, physical_windows.WindowTableFunction) or not node.children:
        return isinstance(node, physical.Values)
    return not isinstance(node, _SAME_ROWS) or _aggregated(node, column)


def _aggregated(node: Node, column: int) -> bool:
    """Return whether Flink may know bounds of a column of a node in _SAME_ROWS.

    For a key or an unchanged column, the bounds are those of the input's column. For the result of an
    aggregate function, Flink may always know bounds.
    """
    if isinstance(node, _SAME_COLUMNS):
        return _has_interval(node.children[0], column)
    keys = getattr(node, "keys", ())
    return column >= len(keys) or _has_interval(node.children[0], keys[column])


def _limited(expr: Expr, calc: physical.Calc) -> bool:
    if isinstance(expr, Literal):
        return True
    if isinstance(expr, InputRef):
        filtered = calc.condition is not None and expr.index in set(input_refs(calc.condition))
        return filtered or _has_interval(calc.input, expr.index)
    return _computed(expr, calc)


def _computed(call: Call, calc: physical.Calc) -> bool:
    if call.function == "CASE":
        results = [*call.args[1:-1:2], call.args[-1]]
        return all(_limited(result, calc) for result in results)
    return call.function in _ARITHMETIC and all(_limited(arg, calc) for arg in call.args)
