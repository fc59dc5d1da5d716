"""The columns of a table function have names of its own, whatever the query calls them.

A projection that only renames them is left out. Their names in the query are kept where Flink's planner sees
another projection: a LEFT join pads columns that are NOT NULL, or a filter holds a column to a literal.
"""

from __future__ import annotations

from firesteel.plan.expressions.operations import is_identity
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Field, Node


def keep_padded_names(node: Node) -> Node:
    """Apply to one node: the columns that are padded take the names of the query."""
    if not isinstance(node, Correlate) or node.join_type is not JoinType.LEFT:
        return node
    left, right = node.inputs
    if not isinstance(right, Project) or all(field.type.nullable for field in right.schema):
        return node
    return node.with_children((left, _named(right.input, right.names)))


def drop_renaming(node: Node) -> Node:
    """Apply to one node."""
    if not isinstance(node, Correlate):
        return node
    left, right = node.inputs
    if not isinstance(right, Project):
        return node
    renames = is_identity(right.exprs, len(right.input.schema))
    return node.with_children((left, right.input if renames else _named(right.input, right.names)))


def _named(node: Node, names: tuple[str, ...]) -> Node:
    """The call with these names of columns; it may stand below a filter."""
    if isinstance(node, Filter):
        return node.with_children((_named(node.input, names),))
    if not isinstance(node, TableFunctionScan):
        return node
    fields = zip(names, node.fields, strict=True)
    return TableFunctionScan(node.call, tuple(Field(name, field.type) for name, field in fields))
