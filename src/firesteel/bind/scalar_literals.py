"""Literals: their values, and the types that Flink gives them."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from firesteel.errors import SourceRange, ValidationError
from firesteel.expr.nodes import Expr, Literal
from firesteel.sql import dialect
from firesteel.sql.dialect import range_of
from firesteel.types import sql
from firesteel.types.sql import SqlType, TypeRoot

if TYPE_CHECKING:
    from firesteel.bind.scalar import Rule, ScalarBinder

_NOT_NULL = {"nullable": False}
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?"
_FORMATS = {"DATE": "yyyy-MM-dd", "TIME": "HH:mm:ss", "TIMESTAMP": "yyyy-MM-dd HH:mm:ss"}


def integer(value: int, range: SourceRange | None = None) -> Literal:
    """An INT literal, or BIGINT where it does not fit."""
    kind = sql.INT if -(1 << 31) <= value < 1 << 31 else sql.BIGINT
    return Literal(value, kind.with_nullable(False), range=range)


def string(text: str, range: SourceRange | None = None) -> Literal:
    """A CHAR literal of its own length."""
    length = len(text) + sum(letter > "\uffff" for letter in text)  # in UTF-16 units
    return Literal(text, sql.char(length).with_nullable(False), range=range)


def number(text: str, range: SourceRange | None = None) -> Literal:
    """A number as written: INT, BIGINT, DECIMAL with a point, DOUBLE with an exponent.

    Raises ValidationError for a whole number beyond BIGINT or a DECIMAL beyond 38 digits.
    """
    out_of_range = ValidationError(f"Numeric literal '{text}' out of range", range=range)
    if "e" in text.lower():
        return Literal(float(text), sql.DOUBLE.with_nullable(False), range=range)
    value = Decimal(text)
    if "." not in text:
        if not -(1 << 63) <= value < 1 << 63:
            raise out_of_range
        return integer(int(value), range)
    scale = max(0, -int(value.as_tuple().exponent))
    precision = len(text) - 1  # digits as written, zeros before the number too
    if precision > 38:
        raise out_of_range
    return Literal(value, sql.decimal(precision, scale).with_nullable(False), range=range)


def moment(text: str, kind: str, range: SourceRange | None = None) -> Literal:
    """A DATE, TIME or TIMESTAMP literal; its precision is the count of digits written.

    Raises ValidationError for what is no such moment.
    """
    wrong = ValidationError(
        f"Illegal {kind} literal '{text}': not in format '{_FORMATS.get(kind, '')}'", range=range
    )
    pattern = {"DATE": r"(\d{4})-(\d{1,2})-(\d{1,2})", "TIME": _TIME}.get(
        kind, r"(\d{4})-(\d{1,2})-(\d{1,2})(?: " + _TIME + ")?"
    )
    match = re.fullmatch(pattern, text.strip())
    if match is None:
        raise wrong
    try:
        if kind != "TIME" and (1582, 10, 4) < tuple(int(n) for n in match.groups()[:3]) < (1582, 10, 15):
            raise wrong  # days that Java's calendar leaves out
        return Literal(*_moment(match, kind, text), range=range)
    except ValueError:
        raise wrong from None


def _moment(match: re.Match[str], kind: str, text: str) -> tuple[date | time | datetime | str, SqlType]:
    numbers = [int(g) for g in match.groups()[: 3 if kind in ("DATE", "TIME") else 6] if g is not None]
    if kind == "DATE":
        return date(*numbers), sql.DATE.with_nullable(False)
    fraction = (match.groups()[-1] or "")[:9]
    micros = int(fraction.ljust(6, "0")[:6] or 0)
    if kind == "TIME":
        hour, minute, second = numbers
        value: time | datetime | str = time(hour, minute, second, micros)
        made = sql.time(len(fraction))
    else:
        year, month, day, hour, minute, second = numbers + [0] * (6 - len(numbers))
        value = datetime(year, month, day, hour, minute, second, micros)
        make = sql.timestamp_ltz if kind == "TIMESTAMP_LTZ" else sql.timestamp
        made = make(len(fraction))
    if len(fraction) > 6:
        value = f"{str(value)[:19]}.{fraction}"  # beyond what Python's datetime holds
    return value, made.with_nullable(False)


def _literal(binder: ScalarBinder, node: exp.Expression) -> Expr:
    place = range_of(node)
    return string(node.this, place) if node.args.get("is_string") else number(node.this, place)


def _hex(binder: ScalarBinder, node: exp.Expression) -> Expr:
    place = range_of(node)
    try:
        value = bytes.fromhex(node.this)
    except ValueError:
        raise ValidationError(
            "A binary literal has an even number of hexadecimal digits", range=place
        ) from None
    return Literal(value, SqlType(TypeRoot.BINARY, False, length=len(value)), range=place)


def _boolean(binder: ScalarBinder, node: exp.Expression) -> Expr:
    return Literal(node.this, sql.BOOLEAN.with_nullable(node.this is None), range=range_of(node))


def _null(binder: ScalarBinder, node: exp.Expression) -> Expr:
    return Literal(None, sql.NULL, range=range_of(node))


def _date_time(binder: ScalarBinder, node: exp.Expression) -> Expr:
    return moment(node.this, node.args["kind"], range_of(node))


RULES: dict[type[exp.Expression], Rule] = {
    exp.Literal: _literal,
    exp.HexString: _hex,
    exp.Boolean: _boolean,
    exp.Null: _null,
    dialect.DateTimeLiteral: _date_time,
}
