"""Aggregate queries: GROUP BY, HAVING and the aggregate calls of a SELECT.

Binding takes two steps, as in Calcite's createAggImpl. First, all expressions are bound over the rows before
GROUP BY, with a placeholder `$AGGREGATE` for each aggregate call. Then group expressions and placeholders
are replaced by columns of the aggregate. An expression that still reads a column of the rows before GROUP BY
is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from firesteel.bind.aggregate.aggregate_calls import arguments, options
from firesteel.bind.aggregate.grouped_sub_queries import over_groups
from firesteel.bind.aggregate.grouping import GROUPING_TYPE, Keys, aggregate_by_sets, grouping_sets, over_keys
from firesteel.bind.build import project, reads, unique_names
from firesteel.bind.checks import check_expression, is_aggregate
from firesteel.bind.group_windows import group_window, misplaced_auxiliary, refuse_auxiliaries, unmatched
from firesteel.bind.names import BindContext, Scope
from firesteel.bind.scalar.operators import refuse_nulls
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.scalar.user_functions import named, user_function
from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.functions.signatures.aggregate_functions import GROUPING_FUNCTIONS, aggregate_type
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import walk
from firesteel.plan.expressions.sub_query import CORRELATED, SubQuery
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node
from firesteel.plan.windowing import AUXILIARIES, GROUP_WINDOWS
from firesteel.sql import syntax
from firesteel.types.sql import BOOLEAN, SqlType, TypeRoot
from firesteel.types.user_function import UserDefined

_PLACEHOLDER = "$AGGREGATE"


@dataclass(frozen=True)
class _Written:
    """Aggregate call as written, before it is simplified.

    Attributes:
        args: Positions of the arguments in the projection below the aggregate.
        filter: Position of the FILTER condition in that projection, or None without FILTER.
        words: Arguments and condition in the order in which the query writes them (`_words`). SUM(a + 1)
            and SUM(1 + a) have the same `args`, because the projection has one column for `a + 1` and
            `1 + a`. Only `words` differ, so each of the two gets an `$AGGREGATE` of its own.
    """

    function: str
    args: tuple[int, ...]
    distinct: bool
    filter: int | None
    options: tuple[str, ...]
    user: UserDefined | None = None
    words: tuple[object, ...] = ()


def _words(expr: Expr) -> tuple[object, ...]:
    """Return the calls, columns and literals of an expression as tuples, calls before their arguments.

    The tuples tell apart `a + 1` and `1 + a`, which are equal as expressions.
    """
    return tuple(_word(part) for part in walk(expr))


def _word(expr: Expr) -> tuple[object, ...]:
    if isinstance(expr, Call):
        return (expr.function, len(expr.args), expr.type)
    return (expr.index,) if isinstance(expr, InputRef) else (expr.value, expr.type)


@dataclass
class Aggregation:
    """Collector of the group expressions and aggregate calls of one SELECT.

    Attributes:
        scope: Names that FROM provides.
        context: Catalog and settings.
        input: Plan of FROM and WHERE.
        group: Expressions of GROUP BY, each once.
        sets: Grouping sets. Each has the indices of its expressions in `group`. Without GROUP BY, there is
            one empty set.
    """

    scope: Scope
    context: BindContext
    input: Node
    group: list[Expr] = field(default_factory=list)
    sets: tuple[Keys, ...] = (frozenset(),)
    _pre: list[Expr] = field(default_factory=list)
    _written: list[_Written] = field(default_factory=list)
    _calls: list[AggregateCall] = field(default_factory=list)
    _call_of: dict[_Written, int] = field(default_factory=dict)

    @property
    def found_any(self) -> bool:
        """Whether any aggregate function was found."""
        return bool(self._calls)

    def group_by(self, items: Sequence[syntax.Node], distinct: bool) -> None:
        """Set `group` and `sets` from the items of GROUP BY.

        Raises:
            ValidationError: Flink refuses an item, such as one that contains an aggregate function.
            NotSupportedError: Firesteel does not support an item.
        """
        self.sets = grouping_sets(items, self._add_group, distinct)

    def _add_group(self, node: syntax.Node) -> int:
        check_expression(node, self.context.catalog, "GROUP BY")
        refuse_nulls(node)
        expr = self._group_expression(node)
        if expr not in self.group:
            self.group.append(expr)
            self._pre_index(expr)
        return self.group.index(expr)

    def refuse_grouping_alone(self) -> None:
        """Raise ValidationError if a query without GROUP BY has GROUPING but no aggregate."""
        functions = [w.function for w in self._written]
        if functions and all(name in GROUPING_FUNCTIONS for name in functions):
            raise ValidationError(
                f"{functions[0]} operator may only occur in an aggregate query", range=self._calls[0].range
            )

    def _group_expression(self, node: syntax.Node) -> Expr:
        binder = ScalarBinder(
            self.scope, self.context, refuse_aggregates("Aggregate expression is illegal in GROUP BY clause")
        )
        name = node.name.upper() if isinstance(node, syntax.Call) else ""
        if not isinstance(node, syntax.Call) or name not in GROUP_WINDOWS:
            return binder.bind(node)
        if any(self._is_window(g) for g in self.group):
            raise ValidationError(
                "Only a single window group function may be used in GROUP BY", range=node.range
            )
        return group_window(name, binder.bind_all(node.args), node.range, self.input)

    def _is_window(self, expr: Expr) -> bool:
        return isinstance(expr, Call) and expr.function.removeprefix("$") in GROUP_WINDOWS

    def binder(self) -> ScalarBinder:
        """Return a binder of expressions over the input. The expressions may contain aggregate calls."""
        return ScalarBinder(self.scope, self.context.in_clause(), self._on_aggregate)

    def _plain(self) -> ScalarBinder:
        """Return a binder over the input for the arguments of an aggregate call."""
        return ScalarBinder(
            self.scope, self.context, refuse_aggregates("Aggregate expressions cannot be nested")
        )

    # --- calls -----------------------------------------------------------------------------------
    def _on_aggregate(self, node: syntax.Call) -> Expr:
        place = node.range
        for part in syntax.walk(node, into_queries=False):
            if part is not node and is_aggregate(part, self.context.catalog):
                raise ValidationError("Aggregate expressions cannot be nested", range=part.range)
        if node.order:
            raise NotSupportedError("ORDER BY within an aggregate call is not supported yet", range=place)
        name = node.name.upper()
        user = user_function(node.name, self.context.catalog)
        if user is not None:
            return self._on_user(user, node)
        if name in GROUPING_FUNCTIONS:
            return self._grouping(node, name)
        args = arguments(node, name, self._plain())
        positions = tuple(self._pre_index(arg) for arg in args)
        condition, words = self._filter(node)
        written = _Written(
            name,
            positions,
            node.distinct,
            condition,
            options(node, name),
            words=(*map(_words, args), *words),
        )
        kind = aggregate_type(name, tuple(a.type for a in args), written.distinct, place)
        if not traits_of(name).never_null and (frozenset() in self.sets or written.filter is not None):
            kind = kind.with_nullable(True)
        return self._placeholder(written, kind, place)

    def _on_user(self, user: UserDefined, node: syntax.Call) -> Expr:
        """Bind a call of a user-defined aggregate function, with any number and types of arguments."""
        place = node.range
        name, function = named(user, node.name)
        args = [self._plain().bind_typed(arg) for arg in node.args]
        distinct = node.distinct
        if distinct and len(args) != 1:
            raise NotSupportedError(f"{name}(DISTINCT ...) of {len(args)} arguments", range=place)
        if node.star:
            raise ValidationError("Unknown identifier '*'", range=place, hint="only COUNT takes *")
        condition, words = self._filter(node)
        positions = tuple(map(self._pre_index, args))
        words = (*map(_words, args), *words)
        written = _Written(name, positions, distinct, condition, (), function, words)
        nullable = user.result.nullable or frozenset() in self.sets or written.filter is not None
        return self._placeholder(written, user.result.with_nullable(nullable), place)

    def _grouping(self, node: syntax.Call, name: str) -> Expr:
        """Return the call `$AGGREGATE` that stands for a call of GROUPING, GROUPING_ID or GROUP_ID.

        `over_result` later replaces `$AGGREGATE` by a column of the aggregate.
        """
        place = node.range
        if bool(node.args) == (name == "GROUP_ID"):
            raise ValidationError(
                f"Invalid number of arguments to function '{name}'. "
                f"Was expecting {0 if name == 'GROUP_ID' else 1} arguments",
                range=place,
            )
        args = [self._plain().bind(arg) for arg in node.args]
        if any(arg not in self.group for arg in args) and self.group:
            raise ValidationError(f"Argument to {name} operator must be a grouped expression", range=place)
        written = _Written(name, tuple(map(self._pre_index, args)), False, None, ())
        return self._placeholder(written, GROUPING_TYPE, place)

    def _filter(self, node: syntax.Call) -> tuple[int | None, tuple[object, ...]]:
        """Bind the FILTER condition of an aggregate call.

        Returns:
            The position of the condition in the projection below the aggregate, and the parts of the
            condition in written order (`_words`). None and () for a call without FILTER.
        """
        condition = node.filter
        if condition is None:
            return None, ()
        expr = boolean(self._plain().bind(condition), "FILTER", condition.range)
        if expr.type.nullable:
            expr = Call("IS TRUE", (expr,), BOOLEAN.with_nullable(False))
        return self._pre_index(expr), _words(expr)

    def _pre_index(self, expr: Expr) -> int:
        """Return the position of an expression in the projection below the aggregate; append it if new."""
        if expr not in self._pre:
            refuse_auxiliaries(expr, misplaced_auxiliary)
            self._pre.append(expr)
        return self._pre.index(expr)

    def _placeholder(self, written: _Written, kind: SqlType, place: SourceRange) -> Expr:
        if written not in self._call_of:
            self._written.append(written)
            self._call_of[written] = self._add_call(written, kind, place)
        number = self._written.index(written)
        return Call(_PLACEHOLDER, (), self._calls[self._call_of[written]].type, (str(number),), place)

    def _add_call(self, written: _Written, kind: SqlType, place: SourceRange) -> int:
        """Return the index of an aggregate call in `_calls`, and append the call if it is new.

        COUNT without DISTINCT loses the arguments that are never NULL, because they do not change the count:
        COUNT(a) of a NOT NULL column `a` becomes COUNT().
        """
        args = written.args
        distinct = written.distinct and not traits_of(written.function).same_distinct
        if written.function == "COUNT" and not written.distinct:
            args = tuple(i for i in args if self._pre[i].type.nullable)
        call = AggregateCall(
            written.function,
            args,
            kind,
            "",
            distinct,
            written.filter,
            range=place,
            options=written.options,
            user=written.user,
        )
        for number, known in enumerate(self._calls):
            if replace(known, type=kind) == call:
                return number
        self._calls.append(call)
        return len(self._calls) - 1

    # --- the nodes -------------------------------------------------------------------------------
    def build(self, items: list[tuple[str, Expr]]) -> Node:
        """Return the aggregate over a projection to its group expressions and the arguments of its calls.

        Args:
            items: Names and expressions of the SELECT list. A column of the aggregate that is an item gets
                the item's name.
        """
        names = [self._pre_name(expr, items) for expr in self._pre]
        for i, name in enumerate(names):
            if name in names[:i]:
                names[i] = None
        below = project(self.input, self._pre, unique_names(names)) if self._pre else self.input
        calls = [replace(call, name=self._call_name(i, items)) for i, call in enumerate(self._calls)]
        if self._pre and isinstance(below, Project) and not self.group and not any(map(reads, calls)):
            # The aggregate reads no column: COUNT(1) has become COUNT(). So it needs no projection.
            below = below.input
        keys = [self._pre.index(g) for g in self.group]
        return aggregate_by_sets(below, keys, self.sets, calls, self.context.state_ttl)

    def _pre_name(self, expr: Expr, items: list[tuple[str, Expr]]) -> str | None:
        if expr in self.group:
            named = [name for name, item in items if item == expr]
            if named:
                return named[-1]
        return self.input.schema[expr.index].name if isinstance(expr, InputRef) else None

    def _call_name(self, number: int, items: list[tuple[str, Expr]]) -> str:
        first = next(w for w in self._written if self._call_of[w] == number)
        mark = (str(self._written.index(first)),)
        named = [
            name
            for name, item in items
            if isinstance(item, Call) and item.function == _PLACEHOLDER and item.options == mark
        ]
        return named[-1] if named else f"agg#{number}"

    def over_result(self, expr: Expr) -> Expr:
        """Return an expression over the input as an expression over the aggregate's columns.

        Raises:
            ValidationError: The expression reads a column that is not grouped.
        """
        return _over_result(expr, self)

    def _over_result(self, expr: Expr) -> Expr:
        if expr in self.group:
            key = self.group.index(expr)
            nullable = expr.type.nullable or any(key not in keys for keys in self.sets)
            return InputRef(key, expr.type.with_nullable(nullable), expr.range)
        if isinstance(expr, InputRef) or (isinstance(expr, Call) and expr.function == CORRELATED):
            raise ValidationError(
                f"Expression '{self._shown(expr)}' is not being grouped",
                range=expr.range,
                hint="put it into GROUP BY, or into an aggregate function",
            )
        if isinstance(expr, SubQuery):
            return over_groups(expr, self.over_result)
        if isinstance(expr, Call):
            if expr.function == _PLACEHOLDER:
                number = self._call_of[self._written[int(expr.options[0])]]
                return InputRef(len(self.group) + number, expr.type, expr.range)
            if expr.function in AUXILIARIES and expr.args[0] not in self.group:
                raise unmatched(expr)
            return over_keys(expr, tuple(self.over_result(arg) for arg in expr.args))
        return expr

    def _shown(self, column: InputRef | Call) -> str:
        """Return the text of a column for an error message.

        It is the text in the query. For a column that comes from a star, it is `table.column`.
        """
        if column.range is not None:
            text = self.context.sql[column.range.start : column.range.end]
            if text and not text.endswith("*"):
                return text
        if isinstance(column, Call):
            return column.options[1]
        for relation in self.scope.relations:
            if relation.offset <= column.index < relation.offset + len(relation.columns):
                name = relation.columns[column.index - relation.offset].name
                return f"{relation.name[-1]}.{name}" if relation.name else name
        return self.input.schema[column.index].name


@from_below
def _over_result(expr: Expr, aggregation: Aggregation) -> Expr:
    return aggregation._over_result(expr)


def refuse_aggregates(message: str) -> Callable[[syntax.Call], Expr]:
    """Return a callback for ScalarBinder that refuses aggregate functions with this message."""

    def refuse(node: syntax.Call) -> Expr:
        if node.name.upper() in GROUPING_FUNCTIONS:
            where = "may only occur in SELECT, HAVING or ORDER BY clause"
            raise ValidationError(f"{node.name.upper()} operator {where}", range=node.range)
        raise ValidationError(message, range=node.range)

    return refuse


def boolean(expr: Expr, clause: str, place: SourceRange) -> Expr:
    """Return the bound condition of a clause unchanged, or a NULL of type BOOLEAN for a NULL without a type.

    Raises:
        ValidationError: The condition is neither BOOLEAN nor NULL, or it is NULL in FILTER.
    """
    if expr.type.root is TypeRoot.NULL:
        if clause == "FILTER":
            raise ValidationError("Illegal use of 'NULL'", range=place)
        return Literal(None, BOOLEAN)
    if expr.type.root is not TypeRoot.BOOLEAN:
        raise ValidationError(f"{clause} clause must be a condition", range=place)
    return expr
