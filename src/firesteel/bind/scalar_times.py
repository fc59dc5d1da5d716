"""Interval literals and the forms that speak of time units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from firesteel.bind.comparison import compare
from firesteel.bind.intervals import MILLIS, MONTHS, interval_count, qualifier
from firesteel.bind.scalar_operators import junction
from firesteel.bind.temporal import (
    DIFFERENCE_UNITS,
    difference,
    interval_literal,
    temporal_arithmetic,
    timestamp_addition,
    timestamp_difference,
)
from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.expr.nodes import Call, Expr
from firesteel.expr.type_names import calcite_name
from firesteel.sql import dialect
from firesteel.sql.dialect import range_of
from firesteel.types import sql
from firesteel.types.sql import TypeRoot

if TYPE_CHECKING:
    from firesteel.bind.scalar import Rule, ScalarBinder

_ALIASES = {"MICROSECONDS": "MICROSECOND", "SQL_TSI_FRAC_SECOND": "MICROSECOND", "FRAC_SECOND": "MICROSECOND"}
DATE_UNITS = frozenset(
    [
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "DOW", "ISODOW", "ISOYEAR", "EPOCH"),
        *("DECADE", "CENTURY", "MILLENNIUM"),
    ]
)
TIME_UNITS = frozenset(["HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"])


def unit_of(written: str) -> str:
    """A time unit in its plain form: SQL_TSI_DAY is DAY."""
    unit = written.upper()
    return _ALIASES.get(unit) or unit.removeprefix("SQL_TSI_")


def _interval(binder: ScalarBinder, node: exp.Expression) -> Expr:
    unit, place = node.args["unit"], range_of(node)
    count = interval_count(node.this, unit, place)
    return interval_literal(-count if node.args.get("negative") else count, unit, place)


def _interval_of(binder: ScalarBinder, node: exp.Expression) -> Expr:
    """`INTERVAL n DAY`: whole numbers only. Raises ValidationError for others."""
    unit, place = node.args["unit"], range_of(node)
    count = binder.bind(node.this)
    first = qualifier(unit, place).first
    if " TO " in unit:
        raise ValidationError("Incorrect syntax near the keyword 'TO'", range=place)
    if not count.type.is_numeric:
        raise ValidationError(
            f"Cannot apply 'INTERVAL' to arguments of type 'INTERVAL <{calcite_name(count.type)}> "
            f"<INTERVAL {unit}>'. Supported form(s): 'INTERVAL <NUMERIC> <DATETIME_INTERVAL>'",
            range=place,
        )
    one = interval_literal(MONTHS.get(first) or MILLIS[first], unit, place)
    if not count.type.is_integer:
        named = "INTERVAL MONTH" if first in MONTHS else "INTERVAL SECOND(3)"
        null = "" if count.type.nullable else " NOT NULL"
        raise ValidationError(f"Unsupported casting from {count.type} to {named}{null}.", range=place)
    return temporal_arithmetic("*", one, count, place)


def _between(binder: ScalarBinder, node: exp.Expression) -> Expr:
    left, right = binder.bind(node.this), binder.bind(node.expression)
    return difference(left, right, node.args["unit"], range_of(node))


def extract(args: Sequence[Expr], node: exp.Expression) -> Expr:
    """EXTRACT(unit FROM x)."""
    return extracted(node.args["options"][0], args[0], range_of(node))


def extracted(unit: str, value: Expr, place: SourceRange | None) -> Expr:
    """A part of a point in time or of an interval. Raises ValidationError where it has no such part."""
    kind = value.type
    if kind.root in (TypeRoot.DATE, TypeRoot.TIME) and unit in ("MICROSECOND", "NANOSECOND"):
        raise ValidationError(f"unit {unit} can not be applied to {kind} variable", range=place)
    if kind.root is TypeRoot.TIME and unit not in TIME_UNITS:
        raise ValidationError(f"unit {unit} can not be applied to time variable", range=place)
    if not (kind.is_datetime or kind.is_interval) or unit not in DATE_UNITS | TIME_UNITS:
        raise ValidationError(
            f"Cannot apply 'EXTRACT' to arguments of type 'EXTRACT(<{unit}> FROM <{calcite_name(kind)}>)'. "
            "Supported form(s): 'EXTRACT(<DATETIME INTERVAL> FROM <DATETIME>)'",
            range=place,
        )
    return Call("EXTRACT", (value,), sql.BIGINT.with_nullable(kind.nullable), (unit,), range=place)


_LONG_UNITS = frozenset(["DAY", "WEEK", "MONTH", "QUARTER", "YEAR", "DECADE", "CENTURY", "MILLENNIUM"])
_CLOCK_UNITS = frozenset(["HOUR", "MINUTE", "SECOND", "MILLISECOND"])
_ROUNDED = {
    TypeRoot.DATE: DATE_UNITS | TIME_UNITS,
    TypeRoot.TIME: _CLOCK_UNITS | {"ISOYEAR"},
    TypeRoot.TIMESTAMP: _LONG_UNITS | _CLOCK_UNITS | {"ISOYEAR"},
    TypeRoot.TIMESTAMP_LTZ: _LONG_UNITS | _CLOCK_UNITS,
}


def rounded(name: str, args: Sequence[Expr], node: exp.Expression) -> Expr:
    """FLOOR(x TO unit) and CEIL(x TO unit)."""
    unit, value = node.args["options"][0].upper(), args[0]
    if value.type.root is TypeRoot.TIME and unit in _LONG_UNITS:
        raise NotSupportedError(f"{name} of a TIME TO {unit} is not supported", range=range_of(node))
    if unit not in _ROUNDED.get(value.type.root, ()):
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type '{name}(<{calcite_name(value.type)}> TO <{unit}>)'. "
            f"Supported form(s): '{name}(<DATETIME> TO <TIME_UNIT>)'",
            range=range_of(node),
        )
    return Call(name, (value,), value.type, (unit,), range=range_of(node))


def add(args: Sequence[Expr], node: exp.Expression) -> Expr:
    """TIMESTAMPADD(unit, count, moment)."""
    return timestamp_addition(_known(node), args[0], args[1], range_of(node))


def diff(args: Sequence[Expr], node: exp.Expression) -> Expr:
    """TIMESTAMPDIFF(unit, start, end)."""
    return timestamp_difference(_known(node), args[0], args[1], range_of(node))


def _known(node: exp.Expression) -> str:
    unit = unit_of(node.args["options"][0])
    if unit not in DIFFERENCE_UNITS:
        raise ValidationError(f"'{unit}' is not a time unit of {node.this.upper()}", range=range_of(node))
    return unit


def _overlaps(binder: ScalarBinder, node: exp.Expression) -> Expr:
    """(a, b) OVERLAPS (c, d): both periods, put in order, share a moment. An end may be an interval."""
    place = range_of(node)
    (low, high), (other_low, other_high) = (_period(binder, side) for side in (node.this, node.expression))
    tests = [compare(">=", high, other_low, place), compare(">=", other_high, low, place)]
    return junction("AND", tests, place)


def _period(binder: ScalarBinder, node: exp.Expression) -> tuple[Expr, Expr]:
    start, end = binder.bind_all(node.expressions)
    if end.type.is_interval:
        end = temporal_arithmetic("+", start, end, range_of(node))
    ordered = compare("<=", start, end, range_of(node))
    kind = start.type.with_nullable(start.type.nullable or end.type.nullable)
    return Call("CASE", (ordered, start, end), kind), Call("CASE", (ordered, end, start), kind)


RULES: dict[type[exp.Expression], Rule] = {
    dialect.IntervalLiteral: _interval,
    dialect.IntervalOf: _interval_of,
    dialect.IntervalBetween: _between,
    exp.Overlaps: _overlaps,
}
