"""Rewrite sub-queries whose value is read: join their rows, and compute the value from the joined columns.

Calcite: SubQueryRemoveRule. For `x IN (SELECT y FROM r)`, each outer row is joined with three columns:

    c   number of rows of r
    ck  number of rows of r in which y is not NULL
    i   TRUE if some y equals x, otherwise NULL

The first condition that holds gives the value of IN:

    c = 0: FALSE    x IS NULL: NULL    i IS NOT NULL: TRUE    ck < c: NULL    otherwise: FALSE

If neither x nor y can be NULL, only i is joined, and the value is TRUE or FALSE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.signatures.aggregate_functions import aggregate_type
from firesteel.plan.expressions.operations import (
    FALSE,
    NOT_NULL_BOOLEAN,
    NULL_BOOLEAN,
    TRUE,
    comparison,
    conjunction,
    identity,
    input_refs,
    is_null,
    logical_call,
    negation,
    renumber,
    rewrite,
    substitute,
)
from firesteel.plan.expressions.sub_query import SCALAR, SubQuery, sub_queries, with_columns
from firesteel.plan.join_condition import push_expressions
from firesteel.plan.nodes.join.join_type import EQUALITIES, JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Project, Values
from firesteel.plan.rel_builder import consistent
from firesteel.plan.tree import Node
from firesteel.rules.subquery.around import Around
from firesteel.rules.subquery.constant_values import (
    constants,
    deciding_row,
    deciding_rows,
    has_value,
    matching_rows,
)
from firesteel.rules.subquery.group_by_keys import equal_column, equal_keys, grouped_by_keys, marked_rows
from firesteel.rules.subquery.pull_up import Pulled, as_join_terms, joined_with_values, pull_up
from firesteel.rules.subquery.unique_row import UniqueRow, unique_row
from firesteel.types.sql import BIGINT, BOOLEAN, INT

_COUNT = BIGINT.with_nullable(False)
_ZERO = Literal(0, INT.with_nullable(False))


@dataclass
class JoinedValues:
    """Rows of a query, joined with more columns by each sub-query whose value is read.

    Attributes:
        node: The rows, their own columns first.
        rewritten: Rewrites the sub-queries within a plan.
        start: Number by which `$COR` calls in the sub-queries read the first column of the rows. It is 0,
            except for the right input of a join, whose columns are numbered after those of the left input.
        keeps_rows: Whether the row counts of an IN or ANY are always joined to `node` by LEFT JOIN. If False,
            an INNER JOIN joins the counts of a sub-query without conditions on columns of `node`.
    """

    node: Node
    rewritten: Callable[[Node], Node]
    start: int = 0
    keeps_rows: bool = False

    def replaced(self, expr: Expr) -> Expr:
        """Return an expression with each sub-query replaced by an expression over joined columns."""
        return rewrite(expr, self._part) if sub_queries(expr) else expr

    def _part(self, part: Expr) -> Expr:
        if isinstance(part, SubQuery):
            return self._value(part)
        if isinstance(part, Call) and part.function == "NOT":
            return _negated(part, part.args[0])
        return part

    def condition(self, term: Expr) -> Expr:
        """Return a term of a filter, in which NULL counts as FALSE, with its sub-queries replaced."""
        inner = term.args[0] if isinstance(term, Call) and term.function == "NOT" else None
        if not isinstance(inner, SubQuery) or not inner.function.endswith(" SOME"):
            return self.replaced(term)
        case = self._value(inner)
        assert isinstance(case, Call)
        *empty, test, _, nulls, _, _ = case.args
        assert isinstance(test, Call)
        none = empty[::2]
        some = _is_not_true([test.args[0], nulls])
        counted = [_is_not_true(none)] if inner.correlation else []
        return logical_call("OR", [*none, logical_call("AND", [negation(test.args[0]), *counted, some])])

    def _value(self, query: SubQuery) -> Expr:
        plan = self.rewritten(query.query)
        if query.function == SCALAR:
            return self._scalar(query, plan)
        if query.function == "EXISTS":
            return self._exists(query, plan)
        if query.function == "IN":
            return self._in(query, plan)
        return self._some(query, plan)

    def _pull(self, query: SubQuery, plan: Node) -> tuple[Pulled, Around]:
        around = Around(self.node, query.correlation, not_null=True, place=query.range, start=self.start)
        return pull_up(plan, around), around

    def _pull_equal(self, query: SubQuery, plan: Node) -> tuple[Pulled, Around]:
        """Return a sub-query's plan, each of whose conditions on outer columns is an equality, pulled up.

        If the query has other conditions, its rows are joined with the distinct values of the outer columns.
        The caller groups by the columns in the equalities, so that an outer row has at most one group. Also
        return the outer query for which the conditions were pulled up.
        """
        pulled, around = self._pull(query, plan)
        if all(equal_column(term, around) is not None for term in pulled.terms):
            return pulled, around
        around = replace(around, not_null=False)
        return joined_with_values(pull_up(plan, around), around), around

    def _join(self, pulled: Pulled, around: Around, more: Sequence[Expr] = (), inner: bool = False) -> int:
        """Join the rows of a plan to `self.node`, and return the position of their first column in the join.

        Args:
            pulled: The plan.
            around: The outer query.
            more: Further conditions of the join.
            inner: Whether an INNER JOIN is allowed. The join is INNER only if this is True, `keeps_rows` is
                False, and the plan has no conditions on outer columns. Otherwise, it is a LEFT JOIN.
        """
        width = len(self.node.schema)
        terms = [outer_first(term, width) for term in as_join_terms(pulled, around)]
        condition = conjunction([*more, *terms]) or TRUE
        join_type = JoinType.INNER if inner and not terms and not self.keeps_rows else JoinType.LEFT
        self.node = push_expressions(Join((self.node, pulled.node), join_type, condition))
        return width

    # --- one value -------------------------------------------------------------------------------
    def _scalar(self, query: SubQuery, plan: Node) -> Expr:
        around = Around(self.node, query.correlation, place=query.range, start=self.start)
        if query.correlation and (row := unique_row(plan, around)) is not None:
            return self._looked_up(row, around)
        if not has_one_row(plan) or (isinstance(plan, Project) and not query.correlation):
            # SINGLE_VALUE checks that there is at most one row. Calcite also adds it to a projection over a
            # single row, as it does not see that this is one row (RelMdColumnUniqueness). In a correlated
            # sub-query it removes this check later (RelDecorrelator).
            call = AggregateCall("SINGLE_VALUE", (0,), plan.schema[0].type.with_nullable(True), "$f0")
            plan = Aggregate(plan, (), (call,))
        if not query.correlation:
            pulled, around = self._pull(query, plan)
            start = self._join(pulled, around)
            return InputRef(start + pulled.positions[0], plan.schema[0].type.with_nullable(True))
        exprs, below = above_aggregate(plan)
        pulled, around = self._pull(query, below)
        start = self._join(pulled, around)
        columns: list[Expr] = [self._column(start + place) for place in pulled.positions]
        if isinstance(below, Aggregate):
            columns = counts_of_no_rows(columns, below)
        return substitute(exprs[0], columns)

    def _looked_up(self, row: UniqueRow, around: Around) -> Expr:
        width = len(self.node.schema)
        shift = {i: width + i for i in range(len(row.rows.schema))}
        columns = around.columns
        condition = with_columns(renumber(row.condition, shift), around.correlation, columns.__getitem__)
        self.node = push_expressions(Join((self.node, row.rows), JoinType.LEFT, condition))
        value = substitute(row.value, [self._column(width + i) for i in range(len(shift))])
        if isinstance(value, InputRef):
            return value
        null = Literal(None, value.type.with_nullable(True))
        return Call("CASE", (is_null(self._column(width + row.key)), null, value), null.type)

    def _column(self, index: int) -> InputRef:
        return InputRef(index, self.node.schema[index].type)

    # --- EXISTS ----------------------------------------------------------------------------------
    def _exists(self, query: SubQuery, plan: Node) -> Expr:
        pulled, around = self._pull_equal(query, plan)
        if not query.correlation:
            marked = Project(plan, (TRUE,), ("i",))
            return self._is_there(Pulled(Aggregate(marked, (0,), ()), (0,)), around)
        keys, terms = equal_keys(pulled, around)
        return self._is_there(marked_rows(pulled.node, keys, terms, f"$f{len(keys)}"), around)

    def _is_there(self, pulled: Pulled, around: Around, more: Sequence[Expr] = ()) -> Expr:
        """Join a plan's rows, and return the test that a row is found: its last column, TRUE, is not NULL."""
        start = self._join(pulled, around, more)
        mark = self._column(start + len(pulled.node.schema) - 1)
        return Call("IS NOT NULL", (mark,), NOT_NULL_BOOLEAN)

    # --- IN --------------------------------------------------------------------------------------
    def _in(self, query: SubQuery, plan: Node) -> Expr:
        pulled, around = self._pull_equal(query, plan)
        operands = constants(query.args)
        if operands is not None:
            return self._constant_in(query, operands, pulled, around)
        own = [pulled.node.schema[i] for i in pulled.positions]
        nullable = any(e.type.nullable for e in query.args) or any(f.type.nullable for f in own)
        counts = self._counts(pulled, around, query) if nullable else None
        keys, terms = equal_keys(pulled, around)
        every = list(dict.fromkeys([*pulled.positions, *keys]))
        marked = marked_rows(pulled.node, every, terms, f"$f{len(every)}" if query.correlation else "i")
        width = len(self.node.schema)
        more = [
            consistent(comparison("=", operand, InputRef(width + every.index(i), field.type)))
            for operand, i, field in zip(query.args, pulled.positions, own, strict=True)
        ]
        match = self._is_there(marked, replace(around, node=self.node), more)
        if counts is None:
            return match
        number, without_null = counts
        nulls = [is_null(e) for e in query.args if e.type.nullable]
        branches: list[Expr] = [comparison("=", number, _ZERO), FALSE]
        if nulls:
            branches += [logical_call("OR", nulls), NULL_BOOLEAN]
        branches += [match, TRUE, comparison("<", without_null, number), NULL_BOOLEAN, FALSE]
        return Call("CASE", tuple(branches), BOOLEAN)

    def _constant_in(
        self, query: SubQuery, operands: Sequence[Literal], pulled: Pulled, around: Around
    ) -> Expr:
        keys, terms = equal_keys(pulled, around)
        rows = matching_rows(pulled.node, pulled.positions, operands)
        nullable = has_value(rows, pulled.positions) != TRUE
        if query.correlation and not nullable:
            return self._is_there(marked_rows(rows, keys, terms, f"$f{len(keys)}"), around)
        if query.correlation:
            moved = {key: 1 + place for place, key in enumerate(keys)}
            renumbered = tuple(renumber(term, moved) for term in terms)
            found = Pulled(deciding_rows(rows, pulled.positions, keys), (), renumbered)
        else:
            found = Pulled(deciding_row(rows, pulled.positions), ())
        if not nullable:
            return self._is_there(found, around)
        start = self._join(found, around)
        value = self._column(start)
        branches: list[Expr] = [] if query.correlation else [is_null(self._column(start + 1)), FALSE]
        branches += [comparison("=", value, FALSE), NULL_BOOLEAN]
        branches += [Call("IS NOT NULL", (value,), NOT_NULL_BOOLEAN), TRUE, FALSE]
        return Call("CASE", tuple(branches), BOOLEAN)

    def _counts(self, pulled: Pulled, around: Around, query: SubQuery) -> tuple[Expr, Expr]:
        """Join the number of rows of a sub-query, and the number of its rows without a NULL. Return both.

        If the sub-query is correlated, only the rows that belong to the outer row are counted.
        """
        args = tuple(i for i in pulled.positions if pulled.node.schema[i].type.nullable)
        counted = (
            AggregateCall("COUNT", (), _COUNT, "c"),
            AggregateCall("COUNT", args, _COUNT, "ck"),
        )
        keys, terms = equal_keys(pulled, around)
        grouped = grouped_by_keys(pulled.node, keys, counted, terms)
        start = self._join(grouped, around, inner=True)
        number, without_null = (self._column(start + len(keys) + n) for n in range(2))
        return _count(number), _count(without_null)

    # --- < ANY -----------------------------------------------------------------------------------
    def _some(self, query: SubQuery, plan: Node) -> Expr:
        if len(query.args) != 1:
            raise NotSupportedError(
                "a comparison of rows with a sub-query is not supported yet", range=query.range
            )
        operator = query.function.removesuffix(" SOME")
        pulled, around = self._pull_equal(query, plan)
        (place,) = pulled.positions
        column = pulled.node.schema[place]
        extremes = ["MAX", "MIN"] if operator == "<>" else ["MIN" if operator in (">", ">=") else "MAX"]
        kind = aggregate_type("MAX", (column.type,), False, query.range).with_nullable(True)
        args = (place,) if column.type.nullable else ()
        calls = (
            *(AggregateCall(name, (place,), kind, f"m{n or ''}") for n, name in enumerate(extremes)),
            AggregateCall("COUNT", (), _COUNT, "c"),
            AggregateCall("COUNT", args, _COUNT, "d"),
        )
        keys, terms = equal_keys(pulled, around)
        grouped = grouped_by_keys(pulled.node, keys, calls, terms)
        if query.correlation:
            found, empty = self._grouped_of_row(grouped, len(keys), around)
        else:
            start = self._join(grouped, around, inner=True)
            found, empty = [self._column(start + len(keys) + n) for n in range(len(calls))], []
        (operand,) = query.args
        tests = [consistent(comparison(operator, operand, extreme)) for extreme in found[:-2]]
        test = logical_call("OR", tests)
        number, without_null = found[-2:] if query.correlation else map(_count, found[-2:])
        branches: list[Expr] = [*empty, comparison("=", number, _ZERO), FALSE]
        branches += [Call("IS TRUE", (test,), NOT_NULL_BOOLEAN), TRUE]
        branches += [comparison(">", number, without_null), NULL_BOOLEAN, test]
        return Call("CASE", tuple(branches), BOOLEAN)

    def _grouped_of_row(
        self, grouped: Pulled, keys: int, around: Around
    ) -> tuple[list[InputRef], list[Expr]]:
        """Join to each outer row, by LEFT JOIN, the group of the sub-query whose keys equal its columns.

        The joined columns are the results of the group's aggregate calls, a marker that is TRUE, and the
        group's keys. All of them are NULL for an outer row without a group.

        Args:
            grouped: The groups: keys, then results of aggregate calls.
            keys: Number of keys.
            around: The outer query.

        Returns:
            The columns with the results. Then the first branch for a CASE, as its condition and its value:
            if the marker is NULL, the value is FALSE.
        """
        columns = identity(f.type for f in grouped.node.schema)
        names = [f.name for f in grouped.node.schema]
        calls = len(columns) - keys
        shown = (*columns[keys:], TRUE, *columns[:keys])
        marked = Project(grouped.node, shown, (*names[keys:], "trueLiteral", *names[:keys]))
        moved = {key: calls + 1 + key for key in range(keys)}
        terms = tuple(renumber(term, moved) for term in grouped.terms)
        start = self._join(Pulled(marked, (), terms), around)
        found = [self._column(start + n) for n in range(calls)]
        return found, [is_null(self._column(start + calls)), FALSE]


def _negated(negation_: Call, inner: Expr) -> Expr:
    """Return NOT over a CASE as a CASE of negated results (Calcite: RexSimplify.simplifyNot)."""
    if not isinstance(inner, Call) or inner.function != "CASE":
        return negation_
    last = len(inner.args) - 1
    args = tuple(
        _opposite(arg) if place % 2 or place == last else arg for place, arg in enumerate(inner.args)
    )
    return inner.with_args(args)


def _opposite(result: Expr) -> Expr:
    if isinstance(result, Literal):
        return replace(result, value=None if result.value is None else not result.value)
    return negation(result)


def outer_first(term: Expr, width: int) -> Expr:
    """Return an equality with the outer column before the column of the sub-query."""
    if not isinstance(term, Call) or term.function not in EQUALITIES:
        return term
    one, other = term.args
    flips = isinstance(one, InputRef) and one.index >= width and max(input_refs(other), default=width) < width
    return replace(term, args=(other, one)) if flips else term


def has_one_row(plan: Node) -> bool:
    """Return whether a plan has exactly one row, however many rows are below it."""
    if isinstance(plan, Project):
        return has_one_row(plan.input)
    if isinstance(plan, Values):
        return len(plan.rows) == 1
    return isinstance(plan, Aggregate) and not plan.keys and not plan.groups


def above_aggregate(plan: Node) -> tuple[tuple[Expr, ...], Node]:
    """Return the expressions of a query over its aggregate, and the aggregate.

    For a plan of another form, return all its columns and the plan.
    """
    if isinstance(plan, Project) and isinstance(plan.input, Aggregate):
        return plan.exprs, plan.input
    return identity(f.type for f in plan.schema), plan


def counts_of_no_rows(columns: Sequence[Expr], aggregate: Aggregate) -> list[Expr]:
    """Return the columns with the results of an aggregate, where a COUNT has 0 in place of NULL.

    `columns` has one column for each call, above an outer join. Its results are NULL for a padded row.
    """
    return [_counted(column, call) for column, call in zip(columns, aggregate.calls, strict=True)]


def _counted(column: Expr, call: AggregateCall) -> Expr:
    if call.function != "COUNT":
        return column
    return Call("CASE", (is_null(column), Literal(0, call.type), column), call.type)


def _is_not_true(terms: Sequence[Expr]) -> Expr:
    return Call("IS NOT TRUE", (logical_call("OR", list(terms)),), NOT_NULL_BOOLEAN)


def _count(column: InputRef) -> Expr:
    if not column.type.nullable:
        return column
    return Call("CASE", (is_null(column), Literal(0, _COUNT), column), _COUNT)
