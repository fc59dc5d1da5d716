"""Entries of FROM that may read the entries to their left: UNNEST and table functions.

Calcite: SqlValidatorImpl (UnnestNamespace, ProcedureNamespace), SqlToRelConverter.convertUnnest,
convertCollectionTable, createJoin.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from firesteel.bind.aggregate.aggregate import refuse_aggregates
from firesteel.bind.aggregate.windows import WINDOW_FUNCTIONS
from firesteel.bind.build import is_always_true, project, references, renamed
from firesteel.bind.checks import check_expression
from firesteel.bind.column_lists import column_names
from firesteel.bind.joins import join
from firesteel.bind.names import BindContext, Correlation, Relation, Scope
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.scalar.user_functions import call_user, unknown_function, user_function
from firesteel.bind.values import ONE_ROW
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.expressions.operations import input_refs, renumber, rewrite
from firesteel.plan.expressions.sub_query import correlated_column, correlated_indices, sub_queries
from firesteel.plan.node_expressions import part_expressions
from firesteel.plan.nodes.correlate.collections import COLLECTIONS
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan, Uncollect
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Field, Node, unique_columns, walk
from firesteel.sql import query_syntax, syntax
from firesteel.sql.query_syntax import Aliased, Lateral, LateralTable, Unnest


def is_lateral(node: syntax.Node) -> bool:
    """Return whether an entry of FROM may read the entries to its left."""
    inner = node.value if isinstance(node, Aliased) else node
    if isinstance(inner, LateralTable):
        return inner.call.name.upper() not in WINDOW_FUNCTIONS
    return isinstance(inner, Unnest)


def lateral_query(node: syntax.Node) -> syntax.Node | None:
    """Return the entry without LATERAL if it is a query that may read the entries to its left, else None."""
    if isinstance(node, Lateral):
        return node.subquery
    if isinstance(node, Aliased) and isinstance(node.value, Lateral):
        return replace(node, value=node.value.subquery)
    return None


def correlated_join(node: query_syntax.Join, joined: Node, around: Correlation) -> Node:
    """Return the plan of a join whose right side is a LATERAL query.

    If the query reads columns of the left side, this is a Correlate, which runs the query for each left row.

    Args:
        node: The join as written.
        joined: Plain join of both sides. It is returned if the query reads no column of the left side.
        around: The left side, as the query reads it. `name` is "" if the query reads none of its columns.

    Raises:
        ValidationError: The query reads the left side, and the join is neither INNER nor LEFT.
        NotSupportedError: The query reads the left side, and a LEFT JOIN has a condition other than TRUE.
    """
    if not around.name:
        return joined
    assert isinstance(joined, Join)
    if joined.join_type not in (JoinType.INNER, JoinType.LEFT):
        raise ValidationError(f"Unknown join type {joined.join_type.name}", range=node.right.range)
    exprs = [expr for part in walk(joined.inputs[1]) for expr in part_expressions(part)]
    required = tuple(correlated_indices(exprs, around.name))
    found: Node = Correlate(joined.inputs, joined.join_type, around.name, required)
    if is_always_true(joined.condition):
        return found
    if joined.join_type is JoinType.LEFT:
        raise NotSupportedError(
            "LEFT JOIN LATERAL takes ON TRUE only",
            range=node.right.range,
            hint="put the condition into the query's WHERE",
        )
    return Filter(found, joined.condition)


@dataclass
class LeftRow:
    """Row of the entries of FROM to the left, as read by a LATERAL entry.

    Attributes:
        scope: Names that can be read.
        numbers: Counter for names. As in Calcite, each read of a column takes the next number. `name` has
            the number of the first read. The numbers of later reads are not used.
        name: Name of the row, such as `$cor0`; "" as long as no column is read.
        read: Positions of the columns that are read.
    """

    scope: Scope
    numbers: Iterator[int]
    name: str = ""
    read: set[int] = field(default_factory=set)

    def outer(self, expr: Expr) -> Expr:
        """Return an expression whose left columns are read as fields of the named left row: `$cor0.a`."""
        return rewrite(expr, self._column)

    def _column(self, part: Expr) -> Expr:
        if not isinstance(part, InputRef):
            return part
        number = next(self.numbers)
        self.name = self.name or f"$cor{number}"
        self.read.add(part.index)
        return correlated_column(self.name, self._names()[part.index], part)

    def _names(self) -> tuple[str, ...]:
        """Return unique names of the left columns, by their position in the left input."""
        relations = sorted(self.scope.relations, key=lambda relation: relation.offset)
        return unique_columns([column.name for relation in relations for column in relation.columns])


def lateral_join(
    node: query_syntax.Join, left: tuple[Node, Scope], context: BindContext
) -> tuple[Node, Scope]:
    """Return the join of the entries on the left with an entry that may read them, and the scope above.

    Raises:
        ValidationError: Flink refuses the entry, the type of the join, or its condition.
    """
    row = LeftRow(left[1], context.correlations)
    source, relation = lateral_table(node.right, row, context)
    joined, scope = join(node, left, (source, Scope((relation,))), context)
    assert isinstance(joined, Join)
    if not row.name:
        return joined, scope
    if joined.join_type not in (JoinType.INNER, JoinType.LEFT):
        raise ValidationError(f"Unknown join type {joined.join_type.name}", range=node.right.range)
    inputs = joined.inputs
    if not is_always_true(joined.condition):
        inputs = (inputs[0], _below(node, joined, row))
    return Correlate(inputs, joined.join_type, row.name, tuple(sorted(row.read))), scope


def _below(node: query_syntax.Join, joined: Join, row: LeftRow) -> Node:
    """Return the right input, filtered by a join condition that reads only the right input.

    Raises:
        ValidationError: The condition reads a column of the left input, or no column at all.
    """
    width = joined.left_width
    read = input_refs(joined.condition)
    if not read or not all(i >= width for i in read):
        raise ValidationError(
            f"unexpected correlate variable {row.name} in the plan",
            range=node.right.range if node.on is None else node.on.range,
            hint="Flink takes ON TRUE here: put the condition into WHERE",
        )
    return Filter(joined.inputs[1], renumber(joined.condition, {i: i - width for i in read}))


def lateral_table(node: syntax.Node, row: LeftRow, context: BindContext) -> tuple[Node, Relation]:
    """Return the plan of UNNEST or a table function in FROM, and the names of its columns."""
    inner = node.value if isinstance(node, Aliased) else node
    if isinstance(inner, LateralTable):
        return _called(node, _function(inner, row, context))
    assert isinstance(inner, Unnest)
    source = _unnest(inner, row, context)
    if not isinstance(node, Aliased):
        return source, Relation((), source.schema)
    alias = (node.alias.name,)
    if not node.columns:
        names = tuple(alias[0] if f.name == "EXPR$0" else f.name for f in source.schema)
        return source, Relation(alias, renamed(source.schema, names))
    names = column_names(node, source)
    if names != tuple(f.name for f in source.schema):
        source = Project(source, references(source), names)
    return source, Relation(alias, renamed(source.schema, names))


def _called(node: syntax.Node, source: Node) -> tuple[Node, Relation]:
    """Return the call of a table function and its column names.

    An alias renames columns for the query, not in the plan.
    """
    if not isinstance(node, Aliased):
        return source, Relation((), source.schema)
    return source, Relation((node.alias.name,), renamed(source.schema, column_names(node, source)))


def _function(node: LateralTable, row: LeftRow, context: BindContext) -> Node:
    call = node.call
    user = user_function(call.name, context.catalog)
    for arg in call.args:
        check_expression(arg, context.catalog, "FROM")
    refuse = refuse_aggregates("Aggregate expression is illegal in FROM clause")
    scope = row.scope if node.lateral else Scope()
    binder = ScalarBinder(scope, context, refuse)
    args = [_bound(binder, arg, f"an argument of '{call.name}'") for arg in call.args]
    if user is None:
        raise unknown_function(call.name, args, call.range)
    if not user.is_table:
        raise ValidationError(
            f"Function '{call.name}' cannot be used as a table function.", range=call.range, hint="udtf(...)"
        )
    found = call_user(user, call.name, [row.outer(arg) for arg in args], call.range)
    return TableFunctionScan(found, tuple(map(Field, user.result.names, user.result.children)))


def _bound(binder: ScalarBinder, value: syntax.Node, what: str) -> Expr:
    """Bind an argument of a table function or of UNNEST. `what` names the argument in the error.

    Raises:
        NotSupportedError: The argument has a sub-query, for which Flink has no plan.
    """
    found = binder.bind_typed(value)
    if sub_queries(found):
        raise NotSupportedError(
            f"a sub-query in {what} is not supported yet",
            range=value.range,
            hint="join with the sub-query in FROM, and read its column",
        )
    return found


def _unnest(node: Unnest, row: LeftRow, context: BindContext) -> Node:
    if len(node.collections) > 1:
        raise ValidationError(
            f"Index 1 out of bounds for length 1: UNNEST takes one collection, not {len(node.collections)}",
            range=node.collections[1].range,
            hint="join several UNNESTs",
        )
    (value,) = node.collections
    check_expression(value, context.catalog, "FROM")
    refuse = refuse_aggregates("Aggregate expression is illegal in FROM clause")
    collection = _bound(ScalarBinder(row.scope, context, refuse), value, "the collection of UNNEST")
    if collection.type.root not in COLLECTIONS:
        raise ValidationError(
            f"Cannot apply 'UNNEST' to arguments of type 'UNNEST(<{calcite_name(collection.type)}>)'. "
            "Supported form(s): 'UNNEST(<MULTISET>)'\n'UNNEST(<ARRAY>)'\n'UNNEST(<MAP>)'",
            range=value.range,
        )
    name = value.path[-1] if isinstance(value, syntax.Column) else "EXPR$0"
    return Uncollect(project(ONE_ROW, (row.outer(collection),), (name,)), node.ordinality)
