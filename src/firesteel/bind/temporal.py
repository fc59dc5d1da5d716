"""Arithmetic with points in time and intervals. Calcite: SqlDatetimePlusOperator and its neighbours."""

from __future__ import annotations

from firesteel.errors import SourceRange, ValidationError
from firesteel.expr.nodes import Call, Expr, Literal
from firesteel.expr.type_names import calcite_name
from firesteel.types import sql
from firesteel.types.sql import SqlType, TypeRoot

MILLIS = {
    "WEEK": 604_800_000,
    "DAY": 86_400_000,
    "HOUR": 3_600_000,
    "MINUTE": 60_000,
    "SECOND": 1_000,
    "MILLISECOND": 1,
}
MONTHS = {"YEAR": 12, "QUARTER": 3, "MONTH": 1}


def interval_type(unit: str) -> SqlType:
    """The type of an interval with this qualifier (`DAY TO SECOND`), NOT NULL."""
    names = tuple(unit.split(" TO "))
    root = TypeRoot.INTERVAL_YEAR_MONTH if names[0] in MONTHS else TypeRoot.INTERVAL_DAY_TIME
    return SqlType(root, False, names=names)


def interval_literal(count: int, unit: str, place: SourceRange | None = None) -> Literal:
    """An interval of `count` months or milliseconds."""
    return Literal(count, interval_type(unit), range=place)


def temporal_arithmetic(name: str, left: Expr, right: Expr, place: SourceRange | None) -> Expr:
    """left `name` right where one of them is a point in time or an interval. Raises ValidationError."""
    nullable = left.type.nullable or right.type.nullable
    kind = _result(name, left.type, right.type)
    if kind is None:
        raise _refused(name, left.type, right.type, place)
    if left.type.is_interval and right.type.is_datetime:
        left, right = right, left  # Calcite's plus has the point in time first
    return Call(name, (left, right), kind.with_nullable(nullable), range=place)


def _result(name: str, left: SqlType, right: SqlType) -> SqlType | None:
    if name in ("+", "-") and left.is_datetime and right.is_interval:
        return left
    if name == "+" and left.is_interval and right.is_datetime:
        return right
    if name in ("+", "-") and left.is_interval and left.root is right.root:
        return left
    if name in ("*", "/") and left.is_interval and right.is_numeric:
        return left
    return right if name == "*" and left.is_numeric and right.is_interval else None


def _refused(name: str, left: SqlType, right: SqlType, place: SourceRange | None) -> ValidationError:
    shown = f"<{calcite_name(left)}> {name} <{calcite_name(right)}>"
    return ValidationError(
        f"Cannot apply '{name}' to arguments of type '{shown}'. "
        f"Supported form(s): '<NUMERIC> {name} <NUMERIC>'",
        range=place,
    )


def difference(left: Expr, right: Expr, unit: str, place: SourceRange | None) -> Expr:
    """`(left - right) unit`: an interval. Raises ValidationError for what are no points in time."""
    if not left.type.is_datetime or not right.type.is_datetime:
        raise _refused("-", left.type, right.type, place)
    kind = interval_type(unit).with_nullable(left.type.nullable or right.type.nullable)
    return Call("-", (left, right), kind, range=place)


def timestamp_difference(unit: str, start: Expr, end: Expr, place: SourceRange | None) -> Expr:
    """TIMESTAMPDIFF: whole units between, as an INT, in the shape that Calcite gives it."""
    whole = "MONTH" if unit in MONTHS else "SECOND"
    nullable = start.type.nullable or end.type.nullable
    between = difference(end, start, whole, place)
    count: Expr = Call("Reinterpret", (between,), sql.BIGINT.with_nullable(nullable), range=place)
    size = MONTHS.get(unit) or MILLIS[unit]
    if unit == "WEEK":  # counted in seconds, which wrap in an INT first
        seconds = _whole(count, 1000)
        return _whole(Call("CAST", (seconds,), sql.INT.with_nullable(nullable), range=place), size // 1000)
    return Call("CAST", (_whole(count, size),), sql.INT.with_nullable(nullable), range=place)


def _whole(count: Expr, size: int) -> Expr:
    """How many whole times `size` goes into the count."""
    divisor = Literal(size, sql.INT.with_nullable(False))
    return count if size == 1 else Call("/INT", (count, divisor), count.type)


def timestamp_addition(unit: str, count: Expr, moment: Expr, place: SourceRange | None) -> Expr:
    """TIMESTAMPADD: the moment plus `count` units. A DATE plus hours or less is a TIMESTAMP."""
    if unit in MONTHS:
        one = interval_literal(MONTHS[unit], unit, place)
    else:
        one = interval_literal(MILLIS[unit], unit, place)
    span = temporal_arithmetic("*", one, count, place)
    found = temporal_arithmetic("+", moment, span, place)
    kind = found.type
    if moment.type.root is TypeRoot.DATE and unit in ("HOUR", "MINUTE", "SECOND", "MILLISECOND"):
        kind = sql.timestamp(6)
    elif moment.type.root is TypeRoot.TIMESTAMP and unit not in MONTHS and unit not in ("DAY", "WEEK"):
        kind = sql.timestamp(max(3, moment.type.precision or 0))
    return Call("+", (moment, span), kind.with_nullable(found.type.nullable), range=place)
