"""Binding of interval literals and of functions that take a time unit."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.bind.binder import Binder, Rule
from firesteel.bind.scalar.comparison import compare
from firesteel.bind.scalar.intervals import MILLIS, MONTHS, interval_count, qualifier
from firesteel.bind.scalar.operators import junction, refuse_nulls
from firesteel.bind.scalar.temporal import (
    DIFFERENCE_UNITS,
    difference,
    interval_literal,
    temporal_arithmetic,
    timestamp_addition,
    timestamp_difference,
)
from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.sql import syntax
from firesteel.sql.interval_syntax import IntervalBetween, IntervalLiteral, IntervalOf
from firesteel.types import sql
from firesteel.types.sql import TypeRoot

_ALIASES = {"MICROSECONDS": "MICROSECOND", "SQL_TSI_FRAC_SECOND": "MICROSECOND", "FRAC_SECOND": "MICROSECOND"}
DATE_UNITS = frozenset(
    [
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DOY", "DOW", "ISODOW", "ISOYEAR", "EPOCH"),
        *("DECADE", "CENTURY", "MILLENNIUM"),
    ]
)
TIME_UNITS = frozenset(["HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"])


def unit_of(written: str) -> str:
    """Return the plain name of a time unit: DAY for SQL_TSI_DAY."""
    unit = written.upper()
    return _ALIASES.get(unit) or unit.removeprefix("SQL_TSI_")


def _interval(binder: Binder, node: IntervalLiteral) -> Expr:
    count = interval_count(node.text, node.unit, node.range)
    return interval_literal(-count if node.negative else count, node.unit, node.range)


def _interval_of(binder: Binder, node: IntervalOf) -> Expr:
    """Return the interval `INTERVAL n DAY`.

    Raises:
        ValidationError: `n` is no whole number, or the unit is a span such as DAY TO HOUR.
    """
    unit, place = node.unit, node.range
    count = binder.bind(node.count)
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


def _between(binder: Binder, node: IntervalBetween) -> Expr:
    return difference(binder.bind(node.left), binder.bind(node.right), node.unit, node.range)


def extract(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return `EXTRACT(unit FROM x)`."""
    refuse_nulls(*node.args)
    return extracted(node.options[0], args[0], node.range)


def extracted(unit: str, value: Expr, place: SourceRange | None) -> Expr:
    """Return a part of a point in time or of an interval.

    Raises:
        ValidationError: The value has no such part.
    """
    kind = value.type
    if kind.root in (TypeRoot.DATE, TypeRoot.TIME) and unit in ("MICROSECOND", "NANOSECOND"):
        raise ValidationError(f"unit {unit} can not be applied to {kind} variable", range=place)
    if kind.root is TypeRoot.TIME and unit not in TIME_UNITS:
        raise ValidationError(f"unit {unit} can not be applied to time variable", range=place)
    if not (kind.is_datetime or kind.is_interval) or unit not in DATE_UNITS | TIME_UNITS:
        raise ValidationError(
            f"Cannot apply 'EXTRACT' to arguments of type 'EXTRACT(<INTERVAL {unit}> FROM "
            f"<{calcite_name(kind)}>)'. Supported form(s): "
            "'EXTRACT(<DATETIME_INTERVAL> FROM <DATETIME_INTERVAL>)'",
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


def rounded(name: str, args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return `FLOOR(x TO unit)` or `CEIL(x TO unit)`."""
    unit, value = node.options[0].upper(), args[0]
    if value.type.root is TypeRoot.TIME and unit in _LONG_UNITS:
        raise NotSupportedError(f"{name} of a TIME TO {unit} is not supported", range=node.range)
    if unit not in _ROUNDED.get(value.type.root, ()):
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type '{name}(<{calcite_name(value.type)}> TO <{unit}>)'. "
            f"Supported form(s): '{name}(<DATETIME> TO <TIME_UNIT>)'",
            range=node.range,
        )
    return Call(name, (value,), value.type, (unit,), range=node.range)


def add(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return `TIMESTAMPADD(unit, count, moment)`."""
    refuse_nulls(*node.args)
    return timestamp_addition(_known(node), args[0], args[1], node.range)


def diff(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return `TIMESTAMPDIFF(unit, start, end)`."""
    refuse_nulls(*node.args)
    if not all(a.type.is_datetime for a in args):
        shown = ", ".join(f"<{calcite_name(a.type)}>" for a in args)
        raise ValidationError(
            "Cannot apply 'TIMESTAMPDIFF' to arguments of type "
            f"'TIMESTAMPDIFF(<INTERVAL {node.options[0].upper()}>, {shown})'. "
            "Supported form(s): 'TIMESTAMPDIFF(<ANY>, <DATETIME>, <DATETIME>)'",
            range=node.range,
        )
    return timestamp_difference(_known(node), args[0], args[1], node.range)


def _known(node: syntax.Call) -> str:
    unit = unit_of(node.options[0])
    if unit not in DIFFERENCE_UNITS:
        raise ValidationError(f"'{unit}' is not a time unit of {node.name.upper()}", range=node.range)
    return unit


def _overlaps(binder: Binder, node: syntax.Overlaps) -> Expr:
    """Return `(a, b) OVERLAPS (c, d)`: whether two periods share a moment.

    The ends of a period may be in either order. `b` and `d` may be intervals.
    """
    place = node.range
    (low, high), (other_low, other_high) = (_period(binder, side) for side in (node.left, node.right))
    tests = [compare(">=", high, other_low, place), compare(">=", other_high, low, place)]
    return junction("AND", tests, place)


def _period(binder: Binder, node: syntax.Node) -> tuple[Expr, Expr]:
    assert isinstance(node, syntax.Call)
    start, end = binder.bind_all(node.args)
    if end.type.is_interval:
        end = temporal_arithmetic("+", start, end, node.range)
    ordered = compare("<=", start, end, node.range)
    kind = start.type.with_nullable(start.type.nullable or end.type.nullable)
    return Call("CASE", (ordered, start, end), kind), Call("CASE", (ordered, end, start), kind)


RULES: dict[type[syntax.Node], Rule] = {
    IntervalLiteral: _interval,
    IntervalOf: _interval_of,
    IntervalBetween: _between,
    syntax.Overlaps: _overlaps,
}
