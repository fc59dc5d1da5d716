"""Binding of literals: their values, and the types that Flink gives them."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from decimal import Decimal

from firesteel.bind.binder import Binder, Rule
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr, Literal, Written
from firesteel.sql import syntax
from firesteel.types import sql
from firesteel.types.sql import SqlType, TypeRoot

_NOT_NULL = {"nullable": False}
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?"
_FORMATS = {"DATE": "yyyy-MM-dd", "TIME": "HH:mm:ss", "TIMESTAMP": "yyyy-MM-dd HH:mm:ss"}


def integer(value: int, range: SourceRange | None = None) -> Literal:
    """Return an INT literal, or a BIGINT literal if the value does not fit."""
    kind = sql.INT if -(1 << 31) <= value < 1 << 31 else sql.BIGINT
    return Literal(value, kind.with_nullable(False), range=range)


def string(text: str, range: SourceRange | None = None) -> Literal:
    """Return a CHAR literal of the length of the text."""
    length = len(text) + sum(letter > "\uffff" for letter in text)  # in UTF-16 units
    return Literal(text, sql.char(length).with_nullable(False), range=range)


def number(text: str, range: SourceRange | None = None, *, negated: bool = False) -> Literal:
    """Return a number as written: INT, BIGINT, DECIMAL if it has a fraction, DOUBLE if it has an exponent.

    If `negated`, a minus precedes the text. The result has no sign, but -9223372036854775808 is in range.

    Raises:
        ValidationError: The digits, read without the point, are beyond BIGINT (Calcite: validateLiteral).
    """
    sign = "-" if negated else ""
    out_of_range = ValidationError(f"Numeric literal '{sign}{text}' out of range", range=range)
    if "e" in text.lower():
        return Literal(Written(text), sql.DOUBLE.with_nullable(False), range=range)
    if not -(1 << 63) <= int(sign + text.replace(".", "")) < 1 << 63:
        raise out_of_range
    if "." not in text[:-1]:  # `5.` is an integer.
        return integer(int(text.rstrip(".")), range)
    value = Decimal(text)
    scale = max(0, -int(value.as_tuple().exponent))
    precision = len(text) - 1  # digits as written, leading zeros included
    if precision > 38:
        raise out_of_range
    return Literal(value, sql.decimal(precision, scale).with_nullable(False), range=range)


def moment(text: str, kind: str, range: SourceRange | None = None) -> Literal:
    """Return a DATE, TIME or TIMESTAMP literal. Its precision is the number of fraction digits written.

    Raises:
        ValidationError: The text is no such date or time.
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
            raise wrong  # days that Java's calendar leaves out (October 1582)
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
        value = f"{str(value)[:19]}.{fraction}"  # more digits than Python's datetime holds
    return value, made.with_nullable(False)


def _string(binder: Binder, node: syntax.StringLiteral) -> Expr:
    return string(node.text, node.range)


def _number(binder: Binder, node: syntax.NumberLiteral) -> Expr:
    return number(node.text, node.range)


def _binary(binder: Binder, node: syntax.BinaryLiteral) -> Expr:
    place = node.range
    try:
        value = bytes.fromhex(node.text)
    except ValueError:
        raise ValidationError(
            "A binary literal has an even number of hexadecimal digits", range=place
        ) from None
    return Literal(value, SqlType(TypeRoot.BINARY, False, length=len(value)), range=place)


def _boolean(binder: Binder, node: syntax.BooleanLiteral) -> Expr:
    return Literal(node.value, sql.BOOLEAN.with_nullable(node.value is None), range=node.range)


def _null(binder: Binder, node: syntax.Node) -> Expr:
    return Literal(None, sql.NULL, range=node.range)


def _date_time(binder: Binder, node: syntax.DateTimeLiteral) -> Expr:
    return moment(node.text, node.kind, node.range)


RULES: dict[type[syntax.Node], Rule] = {
    syntax.StringLiteral: _string,
    syntax.NumberLiteral: _number,
    syntax.BinaryLiteral: _binary,
    syntax.BooleanLiteral: _boolean,
    syntax.NullLiteral: _null,
    syntax.DateTimeLiteral: _date_time,
}
