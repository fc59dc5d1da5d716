"""Drop projections that only rename the columns of a table function, and move up other projections.

Without the projection, plans show the names that the function gives to its columns. In two cases, Flink keeps
the projection, so that its plans show the names in the query. Firesteel also drops the projection in these
cases, but renames the function's columns to the names in the query:
- A LEFT join pads NOT NULL columns.
- A filter below requires a column to equal a literal, such as x = 2, and the projection has the literal 2 in
  place of the column x.
A projection that computes or reorders columns moves above the Correlate.

    Correlate(l, Project(UPPER($0))  f($cor0.s))  ->  Project(l.*, UPPER($n))  Correlate(l, f($cor0.s))
"""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Expr, InputRef, Literal, Value
from firesteel.plan.expressions.operations import identity, input_refs, is_identity, renumber
from firesteel.plan.expressions.sub_query import with_columns
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Field, Node
from firesteel.rules.normalize.reduce_expressions import constant_columns


def keep_padded_names(node: Node) -> Node:
    """Give the padded columns of a LEFT join with a table function their names in the query."""
    if not isinstance(node, Correlate) or node.join_type is not JoinType.LEFT:
        return node
    left, right = node.inputs
    if not isinstance(right, Project) or all(field.type.nullable for field in right.schema):
        return node
    if not is_identity(right.exprs, len(right.input.schema)):
        return node
    return node.with_children((left, _named(right.input, right.names)))


def drop_renaming(node: Node) -> Node:
    """Drop or move up the projection above the table function of a Correlate.

    Raises:
        NotSupportedError: A LEFT join pads a computed column.
    """
    if not isinstance(node, Correlate):
        return node
    left, right = node.inputs
    if not isinstance(right, Project):
        return node
    below = right.input
    if is_identity(right.exprs, len(below.schema)):
        return node.with_children((left, below))
    if len(right.exprs) == len(below.schema) and _shows_columns(right):
        return node.with_children((left, _named(below, right.names)))
    return _above(node, right)


def _shows_columns(project: Project) -> bool:
    """Return whether each expression is the column at its position, or a literal that a filter requires."""
    held = constant_columns(project.input)
    return all(
        expr.index == place if isinstance(expr, InputRef) else _value(expr) == _value(held.get(place))
        for place, expr in enumerate(project.exprs)
    )


def _value(expr: Expr | None) -> Value | object:
    """Return the value of a literal. For any other expression, return a new object, which equals nothing."""
    return expr.value if isinstance(expr, Literal) else object()


def _above(node: Correlate, project: Project) -> Node:
    left = node.inputs[0]
    width = len(left.schema)
    if node.join_type is JoinType.LEFT and not all(isinstance(expr, InputRef) for expr in project.exprs):
        raise NotSupportedError("LEFT JOIN LATERAL of a query that computes columns is not supported yet")
    joined = Correlate((left, project.input), node.join_type, node.variable, node.required)
    columns = identity(field.type for field in joined.schema)
    exprs = list(columns[:width])
    for expr in project.exprs:
        moved = renumber(expr, {i: width + i for i in input_refs(expr)})
        exprs.append(with_columns(moved, node.variable, columns.__getitem__))
    typed = zip(exprs, node.schema, strict=True)
    exprs = [
        InputRef(expr.index, field.type) if isinstance(expr, InputRef) else expr for expr, field in typed
    ]
    return Project(joined, tuple(exprs), tuple(field.name for field in node.schema))


def _named(node: Node, names: tuple[str, ...]) -> Node:
    """Return a table function's scan, also one below a filter, with other column names."""
    if isinstance(node, Filter):
        return node.with_children((_named(node.input, names),))
    if not isinstance(node, TableFunctionScan):
        return node
    fields = zip(names, node.fields, strict=True)
    return TableFunctionScan(node.call, tuple(Field(name, field.type) for name, field in fields))
