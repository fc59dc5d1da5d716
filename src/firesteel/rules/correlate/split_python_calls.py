"""Compute the arguments of a Python table function in a projection below, so that it reads columns only.

Flink: PythonCorrelateSplitRule, StreamPhysicalPythonCorrelateRule. Conditions on the function's columns move
above it.

    Correlate(l, words(UPPER($cor0.s)))  ->  Project  Correlate(Project(l.*, UPPER(s) AS f0), words($3))
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import identity, input_refs, renumber
from firesteel.plan.expressions.sub_query import over_outer_row
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Node, unique_columns


def split_python_calls(node: Node) -> Node:
    """Split the computed arguments off the Python table function of a Correlate.

    Raises:
        ValidationError: A LEFT join has a condition on the function's columns, as in Flink.
    """
    if not isinstance(node, Correlate):
        return node
    left, right = node.inputs
    scan = right.input if isinstance(right, Filter) else right
    if not isinstance(scan, TableFunctionScan) or scan.call.user is None:
        return node
    if isinstance(right, Filter) and node.join_type is JoinType.LEFT:
        raise ValidationError("Currently Python correlate does not support conditions in left join.")
    computed: list[Expr] = []
    args = tuple(_column(over_outer_row(arg), len(left.schema), computed) for arg in scan.call.args)
    below = _with_columns(left, computed)
    call = TableFunctionScan(scan.call.with_args(args), scan.fields)
    found: Node = Correlate((below, call), node.join_type)
    columns = identity(field.type for field in found.schema)
    width = len(below.schema)
    if isinstance(right, Filter):
        read = input_refs(right.condition)
        found = Filter(found, renumber(right.condition, {i: width + i for i in read}))
    if not computed:
        return found
    kept = (*columns[: len(left.schema)], *columns[width:])
    return Project(found, kept, tuple(field.name for field in node.schema))


def _column(arg: Expr, width: int, computed: list[Expr]) -> Expr:
    """Return the column of an argument. A computed argument is added to `computed`. Literals stay."""
    if not isinstance(arg, Call):
        return arg
    computed.append(arg)
    return InputRef(width + len(computed) - 1, arg.type)


def _with_columns(node: Node, exprs: list[Expr]) -> Node:
    if not exprs:
        return node
    columns = identity(field.type for field in node.schema)
    names = [field.name for field in node.schema] + [f"f{i}" for i in range(len(exprs))]
    return Project(node, (*columns, *exprs), unique_columns(names))
