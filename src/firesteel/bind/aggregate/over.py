"""Aggregate functions with OVER, in the shape that Calcite's converter gives them.

A call with OVER becomes an expression with one value for each input row. A SUM that may be NULL becomes
CASE WHEN COUNT(x) > 0 THEN $SUM0(x) ELSE NULL END (RexBuilder.makeOver). AVG, STDDEV and VAR become
arithmetic over sums and counts (StandardConvertletTable.AvgVarianceConvertlet).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from firesteel.bind.aggregate.aggregate_calls import arguments
from firesteel.bind.aggregate.over_windows import OverWindows
from firesteel.bind.binder import Binder
from firesteel.bind.scalar.operators import arithmetic
from firesteel.bind.scalar.user_functions import is_built_in, named, unknown_function, user_function
from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.signatures.aggregate_functions import AGGREGATES, aggregate_type, refuse_batch_only
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.functions.signatures.over_functions import OVER_ONLY, check_lag
from firesteel.plan.expressions.operations import comparison
from firesteel.plan.expressions.over import UNFRAMED, Frame, Over
from firesteel.sql import syntax
from firesteel.types import sql
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserDefined

_VARIANCES = ("STDDEV_POP", "STDDEV_SAMP", "STDDEV", "VAR_POP", "VAR_SAMP", "VARIANCE")
_BIASED = ("STDDEV_POP", "VAR_POP")
_COUNT = sql.BIGINT.with_nullable(False)
_JSON = ("JSON_ARRAYAGG", "JSON_OBJECTAGG")


@dataclass(frozen=True)
class OverBinder:
    """Binder of calls with OVER.

    `binder` binds the arguments of the calls.
    """

    binder: Binder
    windows: OverWindows
    catalog: Catalog

    def bind(self, node: syntax.Call) -> Expr:
        """Return the expression of a call with OVER.

        The method also accepts calls that streaming cannot run, such as calls with different windows in one
        SELECT. If no other part of the query reads the result of such a call, the merging of projections
        drops the call, and Flink accepts the query. rules/window/over_aggregates.py refuses the calls that
        are in the plan after that.

        Raises:
            ValidationError: Flink refuses the call.
        """
        name, place = node.name.upper(), node.range
        assert node.over is not None
        user = user_function(node.name, self.catalog)
        known = user.is_aggregate if user is not None else name in AGGREGATES or name in OVER_ONLY
        if not known and (user is not None or not is_built_in(node.name)):
            raise unknown_function(node.name, self.binder.bind_all(node.args), place)
        if not known or node.filter is not None:
            raise ValidationError("OVER must be applied to aggregate function", range=place)
        if name in _JSON:
            raise ValidationError("Incorrect syntax near the keyword 'OVER'", range=node.over.range)
        if node.nulls:
            shown = name if user is None else node.name
            raise ValidationError(
                f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{shown}'", range=place
            )
        for part in (p for arg in node.args for p in syntax.walk(arg)):
            if isinstance(part, syntax.Call) and part.over is not None:
                raise ValidationError("Aggregate expressions cannot be nested", range=part.range)
        bound = self._bound(name, node) if user is None else self._of_user(user, node)
        return replace_place(bound, node)

    def _of_user(self, user: UserDefined, node: syntax.Call) -> Expr:
        assert node.over is not None
        name, function = named(user, node.name)
        frame, _ = self.windows.frame(node.over)
        args = tuple(self.binder.bind_typed(arg) for arg in node.args)
        return Over(name, args, frame, user.result, node.distinct, user=function).call()

    def _bound(self, name: str, node: syntax.Call) -> Expr:
        assert node.over is not None
        frame, is_framed = self.windows.frame(node.over)
        if name in UNFRAMED:
            return self._unframed(name, node, frame, is_framed)
        refuse_batch_only(name, node.range)
        args = tuple(arguments(node, name, self.binder))
        kind = aggregate_type(name, tuple(a.type for a in args), node.distinct, node.range)
        distinct = node.distinct and not traits_of(name).same_distinct
        return _expanded(Over(name, args, frame, _of_frame(name, kind, frame), distinct))

    def _unframed(self, name: str, node: syntax.Call, frame: Frame, is_framed: bool) -> Expr:
        if is_framed:
            raise ValidationError(
                "ROW/RANGE not allowed with RANK, DENSE_RANK or ROW_NUMBER functions", range=node.range
            )
        args = tuple(self.binder.bind_all(node.args))
        if name == "LAG":
            return Over(name, args, frame, check_lag(args, node.range)).call()
        if args:
            raise ValidationError(
                f"Invalid number of arguments to function '{name}'. Was expecting 0 arguments",
                range=node.range,
            )
        if name != "ROW_NUMBER" and not frame.order:
            raise ValidationError(
                "RANK or DENSE_RANK functions require ORDER BY clause in window specification",
                range=node.range,
            )
        return Over(name, (), replace(frame, rows=name == "ROW_NUMBER"), _COUNT).call()


def replace_place(expr: Expr, node: syntax.Node) -> Expr:
    return replace(expr, range=node.range)


def _of_frame(name: str, kind: SqlType, frame: Frame) -> SqlType:
    """Return the type of an aggregate's result, which is nullable for a frame that can be empty."""
    return kind.with_nullable(True) if frame.can_be_empty and not traits_of(name).never_null else kind


def _expanded(over: Over) -> Expr:
    if over.function == "SUM":
        return _sum(over)
    if over.function == "AVG":
        return _average(over)
    if over.function in _VARIANCES:
        return _variance(over)
    return over.call()


def _count(over: Over) -> Expr:
    return replace(over, function="COUNT", type=_COUNT).call()


def _sum(over: Over) -> Expr:
    if not over.type.nullable:
        return over.call()
    total = replace(over, function="$SUM0", type=over.type.with_nullable(False)).call()
    zero = Literal(0, _COUNT)
    null = Literal(None, over.type)
    return Call("CASE", (comparison(">", _count(over), zero), total, null), over.type)


def _sum_of(over: Over, args: Sequence[Expr]) -> Expr:
    kind = _of_frame("SUM", aggregate_type("SUM", tuple(a.type for a in args)), over.frame)
    return _sum(replace(over, function="SUM", operands=tuple(args), type=kind))


def _average(over: Over) -> Expr:
    total = cast(_sum_of(over, over.operands), over.type)
    return _as(arithmetic("/", total, _count(over)), over.type)


def _variance(over: Over) -> Expr:
    """Return VAR_POP, VAR_SAMP, STDDEV_POP or STDDEV_SAMP as arithmetic.

    The variance is `(sum(x * x) - sum(x) * sum(x) / count(x)) / count(x)`. The sample forms divide by
    `count(x) - 1`, STDDEV takes the square root.
    """
    kind = over.type
    value = cast(over.operands[0], kind)
    over = replace(over, operands=(value,))
    count, total = _count(over), _sum_of(over, (value,))
    squares = _sum_of(over, (arithmetic("*", value, value),))
    mean = arithmetic("/", arithmetic("*", total, total), cast(count, kind))
    below = cast(count, kind) if over.function in _BIASED else _less_one(count)
    found = arithmetic("/", arithmetic("-", squares, mean), below)
    found = cast(found, kind)
    if over.function.startswith("STDDEV"):
        half = Literal(Decimal("0.5"), sql.decimal(2, 1).with_nullable(False))
        found = Call("POWER", (found, half), sql.DOUBLE.with_nullable(found.type.nullable))
    return _as(found, kind)


def _less_one(count: Expr) -> Expr:
    """Return `count - 1`, or NULL if that is 0."""
    less = Call("-", (count, Literal(1, sql.INT.with_nullable(False))), _COUNT)
    one = comparison("=", count, Literal(1, _COUNT))
    return Call("CASE", (one, Literal(None, sql.BIGINT), less), sql.BIGINT)


def _as(expr: Expr, kind: SqlType) -> Expr:
    """Return the expression cast to exactly the type `kind`, with the nullability of `kind`."""
    expr = cast(expr, kind)
    return expr if expr.type.nullable == kind.nullable else Call("CAST", (expr,), kind)
