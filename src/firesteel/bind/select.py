"""Binding of a SELECT: its list, grouping and DISTINCT, over the rows of FROM and WHERE."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from firesteel.bind.aggregate.aggregate import Aggregation, boolean
from firesteel.bind.aggregate.over import OverBinder
from firesteel.bind.aggregate.over_windows import OverWindows
from firesteel.bind.build import aggregate, is_always_true, is_identity, project, references, rename
from firesteel.bind.checks import check_expression
from firesteel.bind.group_windows import refuse_auxiliaries
from firesteel.bind.names import BindContext, Scope
from firesteel.bind.order import Order
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.targets import Targets
from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.plan.expressions.operations import conjunction, conjuncts, is_false
from firesteel.plan.nodes.logical import Filter, Project, Values
from firesteel.plan.rel_builder import as_projected
from firesteel.plan.tree import Field, Node, unique_columns
from firesteel.sql import syntax
from firesteel.sql.query_syntax import Aliased, Select
from firesteel.sql.syntax import Star
from firesteel.types.sql import BOOLEAN

Item = tuple[str, Expr]


def bind_select(
    node: Select,
    source: Node,
    scope: Scope,
    context: BindContext,
    targets: Targets | None,
    order: Sequence[syntax.OrderItem] = (),
) -> Node:
    """Return the plan of a SELECT whose FROM and WHERE are bound already.

    Args:
        node: The SELECT.
        source: Rows of FROM and WHERE.
        scope: Names of FROM.
        context: Catalog and settings.
        targets: Columns of an INSERT that the query fills. None for other queries.
        order: ORDER BY of the query. If it is not empty, the plan ends with the sort.

    Raises:
        ValidationError: Flink refuses the query.
        NotSupportedError: Flink supports the query and Firesteel does not.
    """
    sorting = Order(order)
    result = _Select(node, source, scope, context, targets, sorting).bind()
    if node.qualify is not None:
        result = _qualified(result)
    if node.distinct:
        result = distinct(result, context.state_ttl)
    return sorting.sorted(result, len(result.schema) - len(sorting.hidden)) if order else result


@dataclass(frozen=True)
class _Select:
    node: Select
    source: Node
    scope: Scope
    context: BindContext
    targets: Targets | None
    order: Order

    def bind(self) -> Node:
        aggregation = Aggregation(self.scope, self.context, self.source)
        group = self.node.group
        if group:
            aggregation.group_by(group, self.node.group_distinct)
        binder = aggregation.binder()
        windows = OverWindows(binder, self.node.windows)
        binder.on_over = OverBinder(binder, windows, self.context.catalog).bind
        found = self._items(binder)
        self.order.resolve(found, lambda item: self._item(item, binder)[0], self.node.distinct)
        found += self.order.hidden
        if self.node.qualify is not None:
            found.append((_QUALIFY, self._qualify(self.node.qualify, binder)))
        items = [(f"EXPR${i}" if alias is None else alias, expr) for i, (alias, expr) in enumerate(found)]
        having = self._having(binder)
        if not group:
            aggregation.refuse_grouping_alone()
        if not group and not aggregation.found_any and having is None:
            for _, expr in items:
                refuse_auxiliaries(expr)
            # Calcite plans a projection of the SELECT items even if it changes nothing, as in SELECT *.
            return Project(self.source, tuple(e for _, e in items), tuple(name for name, _ in items))
        return self._grouped(aggregation, items, _grouped_names([alias for alias, _ in found]), having)

    def _items(self, binder: ScalarBinder) -> list[tuple[str | None, Expr]]:
        found: list[tuple[str | None, Expr]] = []
        for item in self.node.items:
            found += self._item(item, binder)
        if self.targets is not None:
            found = self.targets.reorder(found, self.node.range)
        return found

    def _item(self, item: syntax.Node, binder: ScalarBinder) -> list[tuple[str | None, Expr]]:
        if isinstance(item, Star):
            if not self.scope.relations:
                raise ValidationError("SELECT * requires a FROM clause", range=item.range)
            return list(self.scope.star(item.path, item.range))
        alias: str | None = None
        if isinstance(item, Aliased):
            alias, item = item.alias.name, item.value
        elif isinstance(item, syntax.Column):
            alias = item.path[-1]
        elif isinstance(item, syntax.Call) and item.bare:  # such as CURRENT_DATE, to Calcite an identifier
            alias = item.name
        check_expression(item, self.context.catalog)
        return [(alias, binder.bind_typed(item))]

    def _qualify(self, condition: syntax.Node, binder: ScalarBinder) -> Expr:
        """Return the bound condition of QUALIFY. An alias of the SELECT list stands for its expression."""
        named = {item.alias.name: item.value for item in self.node.items if isinstance(item, Aliased)}

        def written(part: syntax.Node) -> syntax.Node:
            is_name = isinstance(part, syntax.Column) and len(part.path) == 1
            return named.get(part.path[0], part) if is_name else part  # type: ignore[attr-defined]

        condition = syntax.rewrite(condition, written)
        check_expression(condition, self.context.catalog)
        return boolean(binder.bind(condition), "QUALIFY", condition.range)

    def _having(self, binder: ScalarBinder) -> Expr | None:
        having = self.node.having
        if having is None:
            return None
        check_expression(having, self.context.catalog, "HAVING")
        binder = copy(binder)
        binder.context = binder.context.in_clause()
        return boolean(binder.bind(having), "HAVING", having.range)

    def _grouped(
        self, aggregation: Aggregation, items: list[Item], names: tuple[str, ...], having: Expr | None
    ) -> Node:
        below = aggregation.build(items)
        if not below.schema:
            # An aggregate without keys and calls has one group: Calcite plans a literal row.
            true = Literal(True, BOOLEAN.with_nullable(False))
            below = Values((Field("$f0", true.type),), ((true,),))
        if having is not None:
            below = _having_filter(below, aggregation.over_result(having))
        exprs = [aggregation.over_result(expr) for _, expr in items]
        if is_identity(exprs, below) and tuple(f.name for f in below.schema) == names:
            return below
        if is_identity(exprs, below) and isinstance(below, Values):
            return rename(below, names)
        result = Project(below, tuple(exprs), names)
        if len(set(names)) == len(names):
            return result
        # The inner projection has unique names. A second one gives the columns their repeated names.
        inner = replace(result, names=unique_columns(names))
        return Project(inner, references(inner), names)


_QUALIFY = "QualifyExpression"


def _qualified(node: Node) -> Node:
    """Return the rows whose last column is TRUE, without that column (Calcite: convertQualify)."""
    columns = references(node)
    filtered = Filter(node, columns[-1])
    return Project(filtered, columns[:-1], tuple(f.name for f in node.schema[:-1]))


def _having_filter(below: Node, having: Expr) -> Node:
    """Return a plan with the filter of HAVING, simplified as in Calcite's RelBuilder.filter.

    If HAVING is always TRUE, the plan is `below` without a filter. If a term is FALSE, the plan has no rows.
    """
    terms = [term for term in conjuncts(having) if not is_always_true(term)]
    if any(is_false(term) for term in terms):
        return Values(below.schema, ())
    condition = conjunction(terms)
    return below if condition is None else Filter(below, condition, having=True)


def _grouped_names(aliases: list[str | None]) -> tuple[str, ...]:
    """Return the column names of a query with aggregates. A column without an alias is named EXPR$n.

    n is the number of different names before the column (SqlValidatorImpl.addToSelectList):

        SELECT MAX(a), k AS x, k AS x, MIN(a)  ->  EXPR$0, x, x, EXPR$2

    In a query without aggregates, n is the position of the column. Two columns may have the same name. Only
    a reference to such a name is an error.
    """
    names: list[str] = []
    for alias in aliases:
        names.append(f"EXPR${len(set(names))}" if alias is None else alias)
    return tuple(names)


def distinct(node: Node, ttl: str = "") -> Node:
    """Return the distinct rows: an aggregate whose keys are the columns (Calcite: distinctify).

    A column that is selected twice becomes one key. Columns are simplified before they are compared: `b` and
    `b = TRUE` are the same column.

    Args:
        node: The rows.
        ttl: Time for which the state of a row is kept, as written in a STATE_TTL hint; "" without a hint.
    """
    if not isinstance(node, Project):
        return aggregate(node, range(len(node.schema)), (), ttl=ttl)
    built = list(map(as_projected, node.exprs))
    first = {expr: i for i, expr in reversed(list(enumerate(built)))}
    kept = sorted(set(first.values()))
    if len(kept) == len(node.exprs):
        return aggregate(node, range(len(kept)), (), ttl=ttl)
    columns = references(node)
    below = project(node, [columns[i] for i in kept], [node.names[i] for i in kept])
    grouped = aggregate(below, range(len(kept)), (), ttl=ttl)
    exprs = tuple(InputRef(kept.index(first[e]), e.type) for e in built)
    return Project(grouped, exprs, node.names)
