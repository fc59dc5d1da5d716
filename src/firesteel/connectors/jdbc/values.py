"""Conversion of values between Arrow columns and databases' drivers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from firesteel.types.arrow import to_arrow
from firesteel.types.iso_times import moment_of_iso, time_of_iso
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot

_MOST_DIGITS = 150_000
"""Maximum number of digits of a number that a database returns.

PostgreSQL's NUMERIC has at most 131,072 digits before the point and 16,383 after it.
"""
_TIMES = (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)


def to_database(column: pa.ChunkedArray, kind: SqlType, as_text: bool) -> list[Any]:
    """Return the values of a column for a driver. With `as_text`, times and decimals are texts."""
    if kind.root in _TIMES:
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    values: list[Any] = column.to_pylist()
    if not as_text:
        return values
    if kind.root is TypeRoot.DECIMAL:
        return [None if value is None else f"{value:f}" for value in values]
    if kind.root is TypeRoot.TIMESTAMP:
        return [None if value is None else value.isoformat(" ") for value in values]
    if kind.root in (TypeRoot.DATE, TypeRoot.TIME):
        return [None if value is None else value.isoformat() for value in values]
    return values


def from_database(values: Sequence[Any], kind: SqlType) -> pa.Array:
    """Return a column of a driver's values.

    Raises:
        ValueError: The type cannot hold a value.
    """
    read = _reader(kind)
    made = [None if value is None else read(value) for value in values]
    try:
        return pa.array(made, to_arrow(kind))
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        raise ValueError(str(error)) from None


def _reader(kind: SqlType) -> Callable[[Any], Any]:
    root = kind.root
    if root is TypeRoot.DECIMAL:
        return _decimal(kind)
    if root is TypeRoot.ARRAY:
        read = _reader(kind.children[0])
        return lambda value: [None if each is None else read(each) for each in value]
    if root in CHARACTER:
        return _text
    if root in BYTES_LIKE:
        return bytes
    if root in INTEGERS:
        return int
    return _SIMPLE[root]


def _decimal(kind: SqlType) -> Callable[[Any], Decimal | None]:
    """Return a converter to DECIMAL: HALF_UP to the scale, and NULL if a number has too many digits.

    Flink: DecimalData.fromBigDecimal.
    """
    context, unit = Context(prec=_MOST_DIGITS), Decimal(1).scaleb(-(kind.scale or 0))
    most = 10 ** ((kind.precision or 0) - (kind.scale or 0))

    def read(value: Any) -> Decimal | None:
        try:
            number = value if isinstance(value, Decimal) else Decimal(str(value))
            found = number.quantize(unit, ROUND_HALF_UP, context)
            return found if found.copy_abs() < most else None
        except InvalidOperation:
            raise ValueError(f"'{value}' is no {kind}") from None

    return read


def _text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, (dict, list)) else str(value)


def _date(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(str(value)[:10])


def _time(value: Any) -> time:
    if isinstance(value, timedelta):  # MySQL's driver returns a timedelta for a TIME.
        return (datetime.min + value).time()
    return value if isinstance(value, time) else time_of_iso(str(value))


def _moment(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    return moment_of_iso(str(value))


_SIMPLE: dict[TypeRoot, Callable[[Any], Any]] = {
    TypeRoot.BOOLEAN: bool,
    TypeRoot.FLOAT: float,
    TypeRoot.DOUBLE: float,
    TypeRoot.DATE: _date,
    TypeRoot.TIME: _time,
    TypeRoot.TIMESTAMP: _moment,
    TypeRoot.TIMESTAMP_LTZ: _moment,
}
