"""Rewrite INTERSECT and EXCEPT by joins and aggregates.

Flink: ReplaceIntersectWithSemiJoinRule, ReplaceMinusWithAntiJoinRule, RewriteIntersectAllRule,
RewriteMinusAllRule, SetOpRewriteUtil.

    l INTERSECT r      ->  Aggregate(all columns)  Join(SEMI, each column equal, or both NULL)
    l EXCEPT r         ->  Aggregate(all columns)  Join(ANTI, each column equal, or both NULL)
    l INTERSECT ALL r  ->  min(m, n) copies of each row
    l EXCEPT ALL r     ->  m - n copies of each row, none if m <= n

Here, m is the number of times that the row is in l, and n the number of times that it is in r.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.plan.estimates.uniqueness import are_unique
from firesteel.plan.expressions.operations import (
    TRUE,
    comparison,
    conjunction,
    identity,
    is_null,
    logical_call,
)
from firesteel.plan.metadata import unique_keys
from firesteel.plan.nodes.correlate.functions import REPLICATE, table_call
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Union
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.tree import Node
from firesteel.types.sql import BIGINT, BOOLEAN, INT

_COUNT = BIGINT.with_nullable(False)
_INT = INT.with_nullable(False)


def rewrite_sets(node: Node) -> Node:
    """Rewrite an INTERSECT as a semi join and an EXCEPT as an anti join; with ALL, by counting rows.

    The columns of both inputs must have the same types.
    """
    if isinstance(node, Intersect):
        return _intersect_all(node) if node.all else _distinct(node, JoinType.SEMI)
    if isinstance(node, Minus):
        return _minus_all(node) if node.all else _distinct(node, JoinType.ANTI)
    return node


# --- INTERSECT and EXCEPT ------------------------------------------------------------------------
def _distinct(node: Intersect | Minus, join_type: JoinType) -> Node:
    left, right = node.inputs
    width = len(left.schema)
    terms = []
    for i, (a, b) in enumerate(zip(left.schema, right.schema, strict=True)):
        terms.append(_equal(InputRef(i, a.type), InputRef(width + i, b.type)))
    if len(terms) == 1:
        terms = [_collapsed(terms[0])]
    joined = Join((left, right), join_type, conjunction(terms) or TRUE)
    return joined if _is_distinct(left) else Aggregate(joined, tuple(range(width)), ())


def _equal(left: InputRef, right: InputRef) -> Expr:
    """Return `l = r OR (l IS NULL AND r IS NULL)`, or only `l = r` if a side is never NULL."""
    equal = comparison("=", left, right)
    if not left.type.nullable or not right.type.nullable:
        return equal
    return logical_call("OR", [equal, logical_call("AND", [is_null(left), is_null(right)])])


def _collapsed(term: Expr) -> Expr:
    """Return `l IS NOT DISTINCT FROM r` for `l = r OR (l IS NULL AND r IS NULL)`. Other terms stay.

    Calcite does the same with a term that is the whole condition of a join (RelBuilder.join).
    """
    if not isinstance(term, Call) or term.function != "OR":
        return term
    equal = term.args[0]
    assert isinstance(equal, Call)
    return Call("IS NOT DISTINCT FROM", equal.args, BOOLEAN.with_nullable(False))


def _is_distinct(node: Node) -> bool:
    """Return whether it is known that no two rows of a node are equal.

    As in Flink, the unique keys of a projection do not count if any of its columns is computed, as by a cast.
    """
    if are_unique(node, frozenset(range(len(node.schema)))):
        return True
    if isinstance(node, Project) and not all(isinstance(e, InputRef) for e in node.exprs):
        return False
    return bool(unique_keys(node))


# --- INTERSECT ALL and EXCEPT ALL ----------------------------------------------------------------
def _intersect_all(node: Intersect) -> Node:
    left, right = node.inputs
    width = len(left.schema)
    none = Literal(None, BOOLEAN)
    names = ("vcol_left_marker", "vcol_right_marker")
    united = Union((_marked(left, (TRUE, none), names), _marked(right, (none, TRUE), names)))
    calls = (
        AggregateCall("COUNT", (width,), _COUNT, "vcol_left_cnt"),
        AggregateCall("COUNT", (width + 1,), _COUNT, "vcol_right_cnt"),
    )
    counted = Aggregate(united, tuple(range(width)), calls)
    counts = InputRef(width, _COUNT), InputRef(width + 1, _COUNT)
    in_both = [comparison(">=", count, Literal(1, _INT)) for count in counts]
    fewer = Call("IF", (comparison(">", *counts), counts[1], counts[0]), _COUNT)
    return _replicated(node, Filter(counted, logical_call("AND", in_both)), fewer, "$f0")


def _minus_all(node: Minus) -> Node:
    left, right = node.inputs
    width = len(left.schema)
    marks = [(Literal(number, _COUNT),) for number in (1, -1)]
    united = Union((_marked(left, marks[0], ("vcol_marker",)), _marked(right, marks[1], ("vcol_marker",))))
    call = AggregateCall("SUM", (width,), BIGINT, "sum_vcol_marker")
    summed = Aggregate(united, tuple(range(width)), (call,))
    count = InputRef(width, BIGINT)
    kept = Filter(summed, comparison(">", count, Literal(0, _INT)))
    return _replicated(node, kept, count, "sum_vcol_marker")


def _marked(node: Node, marks: Sequence[Expr], names: Sequence[str]) -> Project:
    """Return the rows of an input with the columns `marks` added, which are called `names`.

    The marks tell from which input a row comes. An aggregate counts or adds them up for equal rows.
    """
    columns = identity(field.type for field in node.schema)
    return Project(node, (*columns, *marks), (*(field.name for field in node.schema), *names))


def _replicated(node: Intersect | Minus, rows: Node, count: Expr, name: str) -> Node:
    """Return each row as many times as its count says."""
    fields = node.schema
    width = len(fields)
    columns = identity(field.type for field in rows.schema)[:width]
    counted = Project(rows, (count, *columns), (name, *(field.name for field in fields)))
    args = identity(field.type for field in counted.schema)
    copies = TableFunctionScan(table_call(REPLICATE, *args), fields)
    correlated = Correlate((counted, copies), JoinType.INNER)
    shown = identity(field.type for field in correlated.schema)[1 + width :]
    return Project(correlated, shown, tuple(field.name for field in fields))
