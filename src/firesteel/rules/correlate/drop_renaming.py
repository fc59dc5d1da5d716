"""The columns of a table function have names of its own, whatever the query calls them.

A projection that only renames them is left out. Their names in the query are kept where Flink's planner sees
another projection: a LEFT join pads columns that are NOT NULL, or a filter holds a column to a literal. Any
other projection goes above.

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
    """Apply to one node: the columns that are padded take the names of the query."""
    if not isinstance(node, Correlate) or node.join_type is not JoinType.LEFT:
        return node
    left, right = node.inputs
    if not isinstance(right, Project) or all(field.type.nullable for field in right.schema):
        return node
    if not is_identity(right.exprs, len(right.input.schema)):
        return node
    return node.with_children((left, _named(right.input, right.names)))


def drop_renaming(node: Node) -> Node:
    """Apply to one node.

    Raises:
        NotSupportedError: A LEFT join pads what a projection computes.
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
    """Whether each expression is the column at its place, or the literal to which a filter holds it."""
    held = constant_columns(project.input)
    return all(
        expr.index == place if isinstance(expr, InputRef) else _value(expr) == _value(held.get(place))
        for place, expr in enumerate(project.exprs)
    )


def _value(expr: Expr | None) -> Value | object:
    """The value of a literal; something that equals nothing else for another expression."""
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
    """The call with these names of columns; it may stand below a filter."""
    if isinstance(node, Filter):
        return node.with_children((_named(node.input, names),))
    if not isinstance(node, TableFunctionScan):
        return node
    fields = zip(names, node.fields, strict=True)
    return TableFunctionScan(node.call, tuple(Field(name, field.type) for name, field in fields))
