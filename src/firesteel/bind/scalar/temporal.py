"""Arithmetic of points in time and intervals. Calcite: SqlDatetimePlusOperator and its neighbours."""

from __future__ import annotations

from firesteel.bind.scalar.intervals import MILLIS, MONTHS, interval_type
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.types import sql
from firesteel.types.sql import SqlType, TypeRoot


def interval_literal(count: int, unit: str, place: SourceRange | None = None) -> Literal:
    """Return an interval literal of `count` months for units such as YEAR TO MONTH, else milliseconds."""
    return Literal(count, interval_type(unit), range=place)


def temporal_arithmetic(name: str, left: Expr, right: Expr, place: SourceRange | None) -> Expr:
    """Return the call of the operator `name` with a point in time or an interval as one of two operands.

    Raises:
        ValidationError: Flink refuses the types.
    """
    nullable = left.type.nullable or right.type.nullable
    kind = _result(name, left.type, right.type)
    if kind is None:
        raise _refused(name, left.type, right.type, place)
    if left.type.is_interval and right.type.is_datetime:
        left, right = right, left  # Calcite's plus has the point in time on the left
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
    """Return `(left - right) unit`, an interval.

    Raises:
        ValidationError: An operand is no point in time, or the two do not fit together.
    """
    if not left.type.is_datetime or not right.type.is_datetime:
        raise _refused("-", left.type, right.type, place)
    _comparable(left.type, right.type, unit, place)
    kind = interval_type(unit).with_nullable(left.type.nullable or right.type.nullable)
    return Call("-", (left, right), kind, range=place)


def _comparable(left: SqlType, right: SqlType, unit: str, place: SourceRange | None) -> None:
    """Raise ValidationError for two points in time that Flink does not subtract.

    A TIMESTAMP_LTZ can be subtracted only from a TIMESTAMP_LTZ. The difference of a TIME and a DATE or
    TIMESTAMP can be counted only in months and longer units, not in days and shorter ones.
    """
    roots = {left.root, right.root}
    if len(roots) > 1 and TypeRoot.TIMESTAMP_LTZ in roots:
        raise ValidationError("TIMESTAMP_LTZ only supports diff between the same type.", range=place)
    if len(roots) > 1 and TypeRoot.TIME in roots and interval_type(unit).root is TypeRoot.INTERVAL_DAY_TIME:
        raise ValidationError(
            f"The difference of {left.with_nullable(True)} and {right.with_nullable(True)} is counted in "
            "months only",
            range=place,
        )


_BY_SECONDS = {
    "WEEK": (1, 604_800),
    "MILLISECOND": (1000, 1),
    "MICROSECOND": (10**6, 1),
    "NANOSECOND": (10**9, 1),
}
_ODD_UNITS = {"EPOCH": "SECOND", "DOW": "DAY", "DOY": "DAY", "ISODOW": "DAY", "DECADE": "YEAR"}
DIFFERENCE_UNITS = frozenset([*MONTHS, *MILLIS, *_BY_SECONDS, *_ODD_UNITS])


def timestamp_difference(unit: str, start: Expr, end: Expr, place: SourceRange | None) -> Expr:
    """Return TIMESTAMPDIFF as Calcite builds it: the number of whole units between two points in time.

    The result is an INT, and a BIGINT for NANOSECOND. For the units below, the difference is first cut to
    whole seconds, so the result has no fraction of a second. The seconds and the result have one type. If the
    seconds or the result are beyond the range of this type, they overflow:

        WEEK                                    whole seconds / 604,800
        MILLISECOND, MICROSECOND, NANOSECOND    whole seconds * 1000, 10^6, 10^9
    """
    unit = _ODD_UNITS.get(unit, unit)
    nullable = start.type.nullable or end.type.nullable
    between = difference(end, start, "MONTH" if unit in MONTHS else "SECOND", place)
    count: Expr = Call("Reinterpret", (between,), sql.BIGINT.with_nullable(nullable), range=place)
    if unit == "QUARTER":
        months = Call("CAST", (count,), sql.INT.with_nullable(nullable), range=place)
        return _whole(months, MONTHS[unit])
    if unit not in _BY_SECONDS:
        size = MONTHS.get(unit) or MILLIS[unit]
        return Call("CAST", (_whole(count, size),), sql.INT.with_nullable(nullable), range=place)
    factor, size = _BY_SECONDS[unit]
    seconds = _whole(count, 1000)
    if unit != "NANOSECOND":
        seconds = Call("CAST", (seconds,), sql.INT.with_nullable(nullable), range=place)
    if size > 1:
        return _whole(seconds, size)
    literal = Literal(factor, sql.INT.with_nullable(False))
    return Call("*", (seconds, literal), seconds.type, range=place)


def _whole(count: Expr, size: int) -> Expr:
    """Return how many whole times `size` fits into the count."""
    divisor = Literal(size, sql.INT.with_nullable(False))
    return count if size == 1 else Call("/INT", (count, divisor), count.type)


def timestamp_addition(unit: str, count: Expr, moment: Expr, place: SourceRange | None) -> Expr:
    """Return TIMESTAMPADD: a point in time plus `count` units.

    The result has the type of the point in time, with two exceptions: a DATE plus HOUR, MINUTE or SECOND is a
    TIMESTAMP(6), and a TIMESTAMP plus MILLISECOND has at least precision 3.

    Raises:
        ValidationError: Flink refuses the unit, or the unit with this type.
    """
    if unit not in MONTHS and unit not in MILLIS:
        raise ValidationError(
            "Unsupported call: /INT(INTERVAL SECOND(3) NOT NULL, INT NOT NULL)", range=place
        )
    if unit == "MILLISECOND" and moment.type.root in (TypeRoot.DATE, TypeRoot.TIME):
        raise ValidationError(f"TIMESTAMPADD(MILLISECOND, ...) of a {moment.type.root.value}", range=place)
    one = interval_literal(MONTHS.get(unit) or MILLIS[unit], unit, place)
    span = temporal_arithmetic("*", one, count, place)
    found = temporal_arithmetic("+", moment, span, place)
    kind = found.type
    if moment.type.root is TypeRoot.DATE and unit in ("HOUR", "MINUTE", "SECOND"):
        kind = sql.timestamp(6)
    elif moment.type.root is TypeRoot.TIMESTAMP and unit == "MILLISECOND":
        kind = sql.timestamp(max(3, moment.type.precision or 0))
    return Call("+", (moment, span), kind.with_nullable(found.type.nullable), range=place)
