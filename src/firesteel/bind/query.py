"""Binding of queries to logical plans, with the nodes that Calcite's SqlToRelConverter makes for Flink."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.bind.aggregate.aggregate import boolean, refuse_aggregates
from firesteel.bind.aggregate.windows import bind_window_function
from firesteel.bind.build import is_always_true, renamed, with_unique_names
from firesteel.bind.checks import check_expression
from firesteel.bind.column_lists import column_names, validated_names
from firesteel.bind.group_windows import misplaced_auxiliary, refuse_auxiliaries
from firesteel.bind.joins import join
from firesteel.bind.lateral import (
    LeftRow,
    correlated_join,
    is_lateral,
    lateral_join,
    lateral_query,
    lateral_table,
)
from firesteel.bind.names import BindContext, Correlation, Relation, Scope
from firesteel.bind.order import limited, order_rows, row_number
from firesteel.bind.scalar.comparison import check_assignable
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.select import bind_select
from firesteel.bind.snapshots import alone, snapshot_join, snapshot_of
from firesteel.bind.table_hints import check_hints, check_tables, state_ttl
from firesteel.bind.tables import bind_table
from firesteel.bind.targets import Targets
from firesteel.bind.values import ONE_ROW, bind_values
from firesteel.errors import FiresteelError, NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.recursion import collector_at_rest
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes.logical import Filter, Union
from firesteel.plan.nodes.set_op.logical import Intersect, Minus
from firesteel.plan.tree import Node
from firesteel.sql import syntax
from firesteel.sql.query_syntax import (
    Aliased,
    Join,
    LateralTable,
    Ordered,
    Select,
    SetOperation,
    SystemTime,
    TableName,
    ValuesRows,
    WithQuery,
)
from firesteel.types.coerce import common_type


@collector_at_rest()
def bind_query(
    expression: syntax.Node, context: BindContext, targets: Targets | None = None, unique: bool = True
) -> Node:
    """Return the logical plan of a query.

    Args:
        expression: The query.
        context: Catalog and settings.
        targets: Columns of an INSERT that the query fills. None for other queries.
        unique: Whether duplicate column names are made unique.

    Raises:
        ValidationError: Flink refuses the query.
        NotSupportedError: Flink supports the query and Firesteel does not.
    """
    try:
        node = _Binder(replace(context, query_binder=_sub_query)).query(expression, targets)
        return with_unique_names(node) if unique else node
    except FiresteelError as error:
        raise error.located(context.sql) from None
    except RecursionError:
        raise NotSupportedError(
            "the query is nested too deeply", range=expression.range, sql=context.sql
        ) from None


def _sub_query(node: syntax.Subquery, context: BindContext) -> Node:
    """Return the plan of a sub-query in an expression."""
    return with_unique_names(_Binder(context).sub_query(node.query))


@dataclass(frozen=True)
class _Binder:
    context: BindContext

    def query(self, node: syntax.Node, targets: Targets | None = None) -> Node:
        if isinstance(node, Select):
            return self._select(node, targets)
        if isinstance(node, SetOperation):
            return self._set_operation(node, targets)
        if isinstance(node, ValuesRows):
            return bind_values(node, self.context, targets)
        if isinstance(node, WithQuery):
            return self._with(node, targets)
        if isinstance(node, Ordered):
            return self._ordered(node, targets)
        raise NotSupportedError("this query is not supported yet", range=node.range)

    def _ordered(self, node: Ordered, targets: Targets | None) -> Node:
        """Return the plan of a query with ORDER BY or a limit."""
        if node.offset is not None and node.fetch is None:
            raise ValidationError(
                "FETCH is missed, which on streaming table is not supported currently.",
                range=node.offset.range,
            )
        if isinstance(node.query, Select):
            found = self._select(node.query, targets, node.order)
        else:
            found = self.query(node.query, targets)
            if node.order:
                found = order_rows(found, node.order, ScalarBinder(Scope.of(found), self.context).bind)
        if node.fetch is None:
            return found
        offset = 0 if node.offset is None else row_number(node.offset)
        return limited(found, bool(node.order), offset, row_number(node.fetch))

    def _inner(self, node: syntax.Node, targets: Targets | None = None) -> Node:
        """Return the plan of a query within another one. Without a limit, its ORDER BY has no effect."""
        if isinstance(node, Ordered) and node.fetch is None and node.offset is None:
            node = node.query
        return self.query(node, targets)

    def sub_query(self, node: syntax.Node) -> Node:
        """Return the plan of a sub-query in an expression. Without a limit, its ORDER BY has no effect."""
        return self._inner(node)

    def _with(self, node: WithQuery, targets: Targets | None) -> Node:
        binder = self
        for table in node.tables:
            inner = binder._inner(table.subquery.query)
            if not table.columns:
                _refuse_repeated(inner, table.subquery.query.range)
            columns = column_names(table, inner)
            binder = _Binder(binder.context.with_table(table.name.name, inner, columns))
        return binder.query(node.query, targets)

    # --- set operations --------------------------------------------------------------------------
    def _set_operation(self, node: SetOperation, targets: Targets | None) -> Node:
        chain = [node]
        while isinstance(left := chain[-1].left, SetOperation):
            chain.append(left)
        united = self._inner(chain[-1].left, targets)
        for operation in reversed(chain):
            united = self._united(united, operation, targets)
        return united

    def _united(self, left: Node, node: SetOperation, targets: Targets | None) -> Node:
        """Return the plan of one set operation of a chain, whose left side is bound already."""
        name = node.operator if node.distinct else f"{node.operator} ALL"
        right = self._inner(node.right, targets)
        if len(left.schema) != len(right.schema):
            raise ValidationError(
                f"Column count mismatch in {name}",
                range=node.right.range,
                hint=f"{len(left.schema)} columns before it, {len(right.schema)} here",
            )
        for i, (a, b) in enumerate(zip(left.schema, right.schema, strict=True)):
            if common_type((a.type, b.type)) is None:
                raise ValidationError(
                    f"Type mismatch in column {i + 1} of {name}",
                    range=_column_place(node.right, i),
                    hint=f"{a.type} before it, {b.type} here",
                )
            check_assignable((a.type, b.type), _column_place(node.right, i))
        if node.operator == "INTERSECT":
            return Intersect((left, right), all=not node.distinct)
        if node.operator == "EXCEPT":
            return Minus((left, right), all=not node.distinct)
        return Union((left, right), all=not node.distinct)

    # --- SELECT ----------------------------------------------------------------------------------
    def _select(self, node: Select, targets: Targets | None, order: Sequence[syntax.OrderItem] = ()) -> Node:
        check_hints(node.hints)
        check_tables(node.hints, node.source)
        source, scope = _Binder(replace(self.context, hints=node.hints))._source(node.source)
        if node.where is not None:
            source = self._where(node.where, source, scope)
        context = replace(self.context, state_ttl=state_ttl(node.hints, node.source))
        return bind_select(node, source, scope, context, targets, order)

    def _where(self, where: syntax.Node, source: Node, scope: Scope) -> Node:
        check_expression(where, self.context.catalog, "WHERE")
        refuse = refuse_aggregates("Aggregate expression is illegal in WHERE clause")
        condition = ScalarBinder(replace(scope, common=()), self.context.in_clause(), refuse).bind(where)
        condition = boolean(condition, "WHERE", where.range)
        refuse_auxiliaries(condition, misplaced_auxiliary)
        return source if is_always_true(condition) else Filter(source, condition)

    # --- FROM ------------------------------------------------------------------------------------
    def _source(self, node: syntax.Node | None) -> tuple[Node, Scope]:
        found = (ONE_ROW, Scope()) if node is None else self._from(node)
        return found[0], replace(found[1], outer=self.context.outer)

    def _from(self, node: syntax.Node) -> tuple[Node, Scope]:
        """Bind FROM, or one side of a join in it."""
        if isinstance(node, Join):
            left = self._from(node.left)
            if is_lateral(node.right):
                return lateral_join(node, left, self.context)
            if lateral_query(node.right) is not None:
                return self._lateral(node, left)
            if snapshot_of(node.right) is not None:
                return snapshot_join(node, left, self._relation(node.right), self.context)
            return join(node, left, self._from(node.right), self.context)
        if snapshot_of(node) is not None:
            raise alone(node, self.context)
        if is_lateral(node):
            row = LeftRow(Scope(outer=self.context.outer), self.context.correlations)
            source, relation = lateral_table(node, row, self.context)
            return source, Scope((relation,))
        source, relation = self._relation(node)
        return source, Scope((relation,), event_times(source) | processing_times(source))

    def _lateral(self, node: Join, left: tuple[Node, Scope]) -> tuple[Node, Scope]:
        """Bind a join with a query that may read the tables before it."""
        around = Correlation(replace(left[1], common=()), self.context.correlations)
        right = _Binder(replace(self.context, outer=around))._from(lateral_query(node.right) or node.right)
        joined, scope = join(node, left, right, self.context)
        return correlated_join(node, joined, around), scope

    def _relation(self, node: syntax.Node) -> tuple[Node, Relation]:
        """Bind one entry of FROM and return its plan and the names of its columns."""
        if isinstance(node, TableName):
            return bind_table(node, self.context, bind_query)
        if isinstance(node, syntax.Subquery):
            source = self._inner(node.query)
            return source, Relation((), renamed(source.schema, validated_names(source)))
        if isinstance(node, Aliased):
            return self._aliased(node)
        if isinstance(node, LateralTable):
            window = bind_window_function(node.call, self.query, self.context)
            return window, Relation((), window.schema)
        if isinstance(node, SystemTime):
            return self._relation(node.table)
        raise NotSupportedError("this table is not supported yet", range=node.range)

    def _aliased(self, node: Aliased) -> tuple[Node, Relation]:
        source, relation = self._relation(node.value)
        alias = (node.alias.name,)
        if not node.columns:
            return source, Relation(alias, relation.columns)
        names = column_names(node, source)
        inner = node.value.query if isinstance(node.value, syntax.Subquery) else None
        if isinstance(inner, ValuesRows):
            source = bind_values(inner, self.context, None, names)
        return source, Relation(alias, renamed(source.schema, names))


def _refuse_repeated(source: Node, place: SourceRange) -> None:
    """Raise ValidationError if two columns of a query in WITH have one name."""
    names = validated_names(source)
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValidationError(
                f"Column has duplicate column name '{name}' and no column list specified", range=place
            )


def _column_place(query: syntax.Node, index: int) -> SourceRange:
    if isinstance(query, Select) and index < len(query.items):
        return query.items[index].range
    return query.range
