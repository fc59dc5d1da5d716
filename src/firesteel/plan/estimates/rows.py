"""Estimated number of rows of a logical plan (Flink: FlinkRelMdRowCount, FlinkRelMdDistinctRowCount).

Only logical nodes have an estimate here. Flink's estimates of physical nodes differ: it estimates fewer rows
for a logical aggregate than for the aggregate's input, but not for a physical aggregate.
"""

from __future__ import annotations

import math

from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.functions.expression.recursion import remembered
from firesteel.plan.estimates.uniqueness import Columns, are_unique
from firesteel.plan.expressions.operations import conjunction, conjuncts, substitute
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Scan, Union, Values, WatermarkAssigner
from firesteel.plan.selectivity import estimated, guessed
from firesteel.plan.tree import Node

_TABLE = 1e8
_LEAST_ANTI = 0.1
"""Least share of the left rows assumed to remain after an anti join, even if each seems to have a partner."""


class NotEstimated(Exception):
    """Error for a plan with a node or a condition that has no estimate."""


@remembered
def row_count(node: Node) -> float:
    """Return the estimated number of rows of a node, at least 1.

    Raises:
        NotEstimated: The plan has a node or a condition without an estimate.
    """
    return max(1.0, _count(node))


def _count(node: Node) -> float:
    if isinstance(node, Scan):
        return _TABLE
    if isinstance(node, Values):
        return float(len(node.rows))
    if isinstance(node, (Project, WatermarkAssigner)):
        return row_count(node.input)
    if isinstance(node, Filter):
        return row_count(node.input) * _selectivity(node.input, node.condition)
    if isinstance(node, Aggregate) and not node.groups:
        return _groups(node)
    if isinstance(node, Join):
        return _joined(node) if node.join_type.has_right_columns else _kept(node)
    if isinstance(node, Union):
        return sum(map(row_count, node.inputs), start=0.0)
    raise NotEstimated(type(node).__name__)


def _selectivity(node: Node, condition: Expr) -> float:
    """Return the estimated fraction of a node's rows that satisfy a condition."""
    if isinstance(node, (Scan, Project, Filter, Join)):
        return estimated(condition)
    if isinstance(node, WatermarkAssigner):
        return guessed(condition)
    raise NotEstimated(f"condition over {type(node).__name__}")


# --- aggregates ----------------------------------------------------------------------------------
def _groups(node: Aggregate) -> float:
    if not node.keys:
        return 1.0
    rows = row_count(node.input)
    distinct = distinct_rows(node.input, frozenset(node.keys))
    return rows * (1.0 - math.exp(-0.1 * len(node.keys))) if distinct is None else min(distinct, rows)


def distinct_rows(node: Node, columns: Columns, condition: Expr | None = None) -> float | None:
    """Return the estimated number of different combinations of values in some columns of a node's output.

    None if the number is unknown in Flink, too: for columns of a table that contain no key of the table, and
    for the rows of a WatermarkAssigner.

    Args:
        node: The node.
        columns: Positions of the columns in the node's output.
        condition: Condition on the node's output. Only rows that satisfy it count. None for all rows.

    Raises:
        NotEstimated: This module has no estimate for a node or a condition of the plan.
    """
    if condition is None and not columns:
        return 1.0
    if isinstance(node, Filter):
        return distinct_rows(node.input, columns, conjunction([*conjuncts(condition), node.condition]))
    if isinstance(node, Project):
        return _through_projection(node, columns, condition)
    if isinstance(node, Join) and node.join_type.has_right_columns:
        return _of_join(node, columns, condition)
    if isinstance(node, Aggregate):
        return _of_groups(node, columns, condition)
    if isinstance(node, Join):
        return _of_left_rows(node, columns, condition)
    if isinstance(node, Scan) and are_unique(node, columns):
        return row_count(node) * (1.0 if condition is None else _selectivity(node, condition))
    if isinstance(node, (Scan, WatermarkAssigner)):
        return None
    raise NotEstimated(f"distinct rows of {type(node).__name__}")


def _through_projection(node: Project, columns: Columns, condition: Expr | None) -> float | None:
    carried = [e.index for i in columns if isinstance(e := node.exprs[i], InputRef)]
    moved = None if condition is None else substitute(condition, node.exprs)
    below = distinct_rows(node.input, frozenset(carried), moved)
    if below is None or len(carried) == len(columns):
        return below
    raise NotEstimated("distinct rows of an expression")


def _of_groups(node: Aggregate, columns: Columns, condition: Expr | None) -> float | None:
    width = len(node.keys)
    keys = frozenset(node.keys[i] for i in columns if i < width)
    if condition is not None:
        raise NotEstimated("condition over Aggregate")
    below = distinct_rows(node.input, keys)
    if below is None:
        return None
    if len(keys) < width and any(i >= width for i in columns):
        raise NotEstimated("distinct rows of calls")
    return min(below, row_count(node.input))


def _of_join(node: Join, columns: Columns, condition: Expr | None) -> float | None:
    if condition is not None:
        raise NotEstimated("condition over Join")
    width = node.left_width
    left = distinct_rows(node.inputs[0], frozenset(i for i in columns if i < width))
    right = distinct_rows(node.inputs[1], frozenset(i - width for i in columns if i >= width))
    return None if left is None or right is None else _chosen(left * right, row_count(node))


def _of_left_rows(node: Join, columns: Columns, condition: Expr | None) -> float | None:
    """Return the estimated number of different values in some columns of a semi or anti join's output.

    The number is a product:

        (different values in the left input)  *  (fraction of the left rows that the join keeps)

    None if the number of different values in the left input is unknown.

    Args:
        node: The semi or anti join, whose output has the columns of the left input.
        columns: Positions of the columns.
        condition: Condition on the left rows. Only rows that satisfy it count. None for all rows.
    """
    below = distinct_rows(node.inputs[0], columns, condition)
    return None if below is None else below * _kept(node) / row_count(node.inputs[0])


def _chosen(domain: float, rows: float) -> float:
    """Return how many different values `rows` rows have if each has a random one of `domain` values."""
    return max(0.0, min(domain * (1.0 - math.exp(-rows / domain)), domain, rows))


# --- joins ---------------------------------------------------------------------------------------
def _joined(node: Join) -> float:
    left, right = map(row_count, node.inputs)
    equal = node.equal_columns
    if not equal.left:
        return left * right * estimated(node.condition)
    inner = _equal_rows(node, left, right)
    if node.join_type is JoinType.INNER:
        return inner
    padded_left = max(left, inner) if node.join_type.pads_right else inner
    padded_right = max(right, inner) if node.join_type.pads_left else inner
    return padded_left + padded_right - inner


def _equal_rows(node: Join, left: float, right: float) -> float:
    """Return the estimated number of rows of a join whose condition has equalities of columns.

    Rows without a partner are not counted. `left`, `right`: estimated number of rows of the inputs.
    """
    equal = node.equal_columns
    rest = conjunction(equal.rest)
    fraction = 1.0 if rest is None else estimated(rest)
    keys = frozenset(equal.left), frozenset(equal.right)
    distinct = [distinct_rows(side, key) for side, key in zip(node.inputs, keys, strict=True)]
    if distinct[0] is not None and distinct[1] is not None:
        return left * right * min(1.0, 1.0 / max(distinct[0], distinct[1])) * fraction
    unique = [are_unique(side, key) for side, key in zip(node.inputs, keys, strict=True)]
    if None in unique or not any(unique):
        return (left + right) * estimated(node.condition)
    if all(unique):
        return min(left, right) * fraction
    return (right if unique[0] else left) * fraction


def _kept(node: Join) -> float:
    """Return the estimated number of rows of a semi or anti join.

    Flink: makeSemiAntiJoinSelectivityRexNode.
    """
    equal = node.equal_columns
    rest = conjunction(equal.rest)
    fraction = 1.0 if rest is None else guessed(rest)
    if equal.left:
        fraction *= _partners(node.inputs[0], frozenset(equal.left), node.inputs[1], frozenset(equal.right))
    if node.join_type is JoinType.ANTI:
        fraction = 1.0 - fraction or _LEAST_ANTI
    return row_count(node.inputs[0]) * fraction


def _partners(left: Node, left_keys: Columns, right: Node, right_keys: Columns) -> float:
    """Return the fraction of left rows with a partner (Calcite: RelMdUtil.computeSemiJoinSelectivity)."""
    values = _population(left, left_keys)
    if values is None:
        values = distinct_rows(left, left_keys)
    partners = distinct_rows(right, right_keys)
    if values is not None and partners is not None:
        return min(partners, values) / values
    fraction = _fraction_of_tables(right)
    return 0.1 ** len(right_keys) if fraction is None else min(1.0, fraction)


def _population(node: Node, columns: Columns) -> float | None:
    """Return the estimated number of different combinations of values in some columns before all filters.

    Filters, and semi and anti joins, are ignored: the number is that of their (left) input. None if unknown.
    Flink: FlinkRelMdPopulationSize.

    Args:
        node: The node.
        columns: Positions of the columns in the node's output.
    """
    if isinstance(node, Filter):
        return _population(node.input, columns)
    if isinstance(node, Project):
        carried = frozenset(e.index for i in columns if isinstance(e := node.exprs[i], InputRef))
        return _population(node.input, carried) if len(carried) == len(columns) else None
    if isinstance(node, Join) and not node.join_type.has_right_columns:
        return _population(node.inputs[0], columns)
    if isinstance(node, Scan):
        return row_count(node) if are_unique(node, columns) else distinct_rows(node, columns)
    return row_count(node) if are_unique(node, columns) else None


def _fraction_of_tables(node: Node) -> float | None:
    """Return the estimated fraction of table rows that the filters of a plan keep, from 0 to 1.

    A plan of one table without filters has 1. A join has the product of the fractions of its inputs. A
    semi or anti join has the fraction of its left input. None if unknown.
    Flink: FlinkRelMdPercentageOriginalRows.

    Args:
        node: Root of the plan.
    """
    if isinstance(node, Aggregate):
        return _fraction_of_tables(node.input)
    if isinstance(node, Join):
        left, right = map(_fraction_of_tables, node.inputs)
        if not node.join_type.has_right_columns:
            return left
        return None if left is None or right is None else left * right
    if len(node.children) > 1:
        return None
    below = [(_fraction_of_tables(child), row_count(child)) for child in node.children]
    if not below:
        return 1.0
    fraction, rows = below[0]
    return None if fraction is None else fraction * row_count(node) / rows
