"""The text of a value: what CAST to STRING gives and what a tableau shows.

Rules: Flink's `CastRule`s to CHARACTER_STRING (`PrintStyle` uses them), and Java's `Double.toString`:
the shortest digits that read back as the same number, `E` notation outside [0.001, 10000000).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot
from firesteel.types.zones import offset_at

NULL_TEXT = "<NULL>"
"""NULL as a tableau's cell; within a row, array or map it is NULL."""

_FIRST = date(1, 1, 1)
_YEAR_1, _CYCLE = -719_162, 146_097
_NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def double_text(value: float) -> str:
    """A DOUBLE as Java writes it."""
    return _java(_of_large(value, 53) or repr(value), value)


def float_text(value: float) -> str:
    """A FLOAT (a number that fits 32 bits) as Java writes it."""
    return _java(_of_large(value, 24) or str(np.float32(value)), value)


def _of_large(value: float, bits: int) -> str | None:
    """The digits of a whole number of more than `bits` bits and fewer than 64: Java up to 18 drops as many
    decimal digits as the lost bits hold for certain, whether or not fewer would do.

    Java: jdk.internal.math.FloatingDecimal.BinaryToASCIIBuffer.
    """
    if not 2.0**bits <= abs(value) < 2.0**63:
        return None
    whole = int(abs(value))
    lost = whole.bit_length() - bits - 2
    dropped = len(str(1 << lost)) - 1 if lost > 1 else 0
    unit = 10**dropped
    digits = str((whole + unit // 2) // unit if dropped else whole)
    return f"{'-' if value < 0 else ''}{digits[0]}.{digits[1:]}e{len(digits) + dropped - 1}"


def _java(shortest: str, value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return shortest if shortest.endswith(".0") else shortest + ".0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = shortest.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or 0) + len(whole)
    digits = whole + ("" if fraction == "0" else fraction)
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    digits = stripped.rstrip("0") or "0"
    if len(digits) == 1:  # Java writes two digits and takes the nearest: 4.9E-324
        mantissa, _, exponent = f"{abs(value):.1e}".partition("e")
        digits, power = mantissa.replace(".", "").rstrip("0"), int(exponent) + 1
    if -2 <= power <= 7:
        return sign + _plain(digits, power)
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power - 1}"


def _plain(digits: str, power: int) -> str:
    if power <= 0:
        return f"0.{'0' * -power}{digits}"
    whole = digits[:power].ljust(power, "0")
    return f"{whole}.{digits[power:] or '0'}"


def date_text(days: int) -> str:
    """A DATE, given as days since 1970-01-01. Of a year beyond 9999 Flink writes the last four digits."""
    year, month, day = calendar_date(days)
    return f"{year_text(year)}-{month:02d}-{day:02d}"


def year_text(year: int) -> str:
    """Four digits; before the year 0 the characters before `0`, as Flink's arithmetic makes them."""
    if year >= 0:
        return f"{year % 10000:04d}"
    return "".join(chr(ord("0") - int(digit)) for digit in f"{-year % 10000:04d}")


def calendar_date(days: int) -> tuple[int, int, int]:
    """Year, month and day of days since 1970-01-01, Gregorian throughout; 0 is the year before 1."""
    cycles, rest = divmod(days - _YEAR_1, _CYCLE)  # 400 years have the same days everywhere
    moment = _FIRST + timedelta(days=rest)
    return moment.year + 400 * cycles, moment.month, moment.day


def time_text(nanos: int, precision: int) -> str:
    """A TIME(precision), given as nanoseconds of the day; of a fraction, zeros at its end are left out."""
    text = _clock(nanos // 10**9)
    digits = f"{nanos % 10**9:09d}"[:precision].rstrip("0") or "0"
    return f"{text}.{digits}" if precision else text


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def timestamp_text(nanos: int, precision: int) -> str:
    """A TIMESTAMP(precision), given as nanoseconds since the epoch."""
    days, rest = divmod(nanos, 86400 * 10**9)
    return f"{date_text(days)} {_clock(rest // 10**9)}{_fraction(rest % 10**9, precision)}"


def _fraction(nanos: int, precision: int) -> str:
    return "." + f"{nanos:09d}"[:precision] if precision else ""


def year_month_text(months: int) -> str:
    """An INTERVAL YEAR TO MONTH, given as months."""
    sign = "-" if months < 0 else "+"
    return f"{sign}{abs(months) // 12}-{abs(months) % 12:02d}"


def day_time_text(millis: int) -> str:
    """An INTERVAL DAY TO SECOND, given as milliseconds."""
    sign = "-" if millis < 0 else "+"
    days, rest = divmod(abs(millis), 86_400_000)
    return f"{sign}{days} {_clock(rest // 1000)}.{rest % 1000:03d}"


def local_nanos(nanos: int, zone: str) -> int:
    """The wall clock that a zone shows at an instant, both as nanoseconds since the epoch."""
    return nanos + offset_at(nanos // 10**9, zone) * 10**9


def render(array: pa.Array | pa.ChunkedArray, kind: SqlType, time_zone: str = "UTC") -> list[str]:
    """The cells that a tableau shows for a column; TIMESTAMP_LTZ is shown in the time zone."""
    write = writer(kind, time_zone)
    return [NULL_TEXT if value is None else write(value) for value in plain_values(array)]


def plain_values(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The values as Python has them, but times as nanoseconds and dates as days."""
    kind = array.type
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in plain_values(chunk)]
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        unit = _NANOS[kind.unit]
        return [
            None if v is None else v * unit for v in array.cast(_width(kind)).cast(pa.int64()).to_pylist()
        ]
    if pa.types.is_date32(kind):
        return list(array.cast(pa.int32()).to_pylist())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _slices(array, plain_values(array.values))
    if pa.types.is_struct(kind):
        columns = [plain_values(array.field(i)) for i in range(kind.num_fields)]
        rows = list(zip(*columns, strict=True)) if columns else [()] * len(array)
        valid = array.is_valid().to_pylist()
        return [row if ok else None for row, ok in zip(rows, valid, strict=True)]
    return list(array.to_pylist())


def _width(kind: pa.DataType) -> pa.DataType:
    return pa.int32() if pa.types.is_time32(kind) else pa.int64()


def _slices(array: pa.Array, values: list[Any]) -> list[Any]:
    offsets = array.offsets.to_pylist()
    valid = array.is_valid().to_pylist()
    return [values[offsets[i] : offsets[i + 1]] if ok else None for i, ok in enumerate(valid)]


def writer(kind: SqlType, time_zone: str = "UTC", cast: bool = False) -> Callable[[Any], str]:
    """A function that gives the text of one value, not NULL, of `kind` (as `plain_values` gives it).

    cast: as CAST to STRING gives it, where bytes are read as UTF-8.
    """
    root = kind.root
    if cast and root in BYTES_LIKE:
        return lambda v: str(v.decode("utf-8", "replace"))
    if root in _SIMPLE:
        return _SIMPLE[root]
    precision = kind.precision or 0
    if root is TypeRoot.TIME:
        return lambda v: time_text(v, precision)
    if root is TypeRoot.TIMESTAMP:
        return lambda v: timestamp_text(v, precision)
    if root is TypeRoot.TIMESTAMP_LTZ:
        return lambda v: timestamp_text(local_nanos(v, time_zone), precision)
    children = [_nested(child, time_zone, cast) for child in kind.children]
    if kind.class_name is not None:
        named = list(zip(kind.names, children, strict=True))
        return lambda v: f"({', '.join(f'{n}={w(x)}' for (n, w), x in zip(named, v, strict=True))})"
    if root is TypeRoot.ROW:
        return lambda v: f"({', '.join(w(x) for w, x in zip(children, v, strict=True))})"
    if root is TypeRoot.ARRAY:
        return lambda v: f"[{', '.join(map(children[0], v))}]"
    if root is TypeRoot.MULTISET:
        children.append(str)
    return lambda v: "{" + ", ".join(f"{children[0](k)}={children[1](x)}" for k, x in _entries(v)) + "}"


def _entries(value: Any) -> Any:
    return value.items() if isinstance(value, dict) else value


def _nested(kind: SqlType, time_zone: str, cast: bool) -> Callable[[Any], str]:
    write = writer(kind, time_zone, cast)
    return lambda v: "NULL" if v is None else write(v)


def bytes_text(value: bytes) -> str:
    """BINARY as a tableau shows it: x'68656c6c6f'."""
    return f"x'{value.hex()}'"


def _variant(value: bytes) -> str:
    from firesteel.types.variant import variant_text

    return variant_text(value)


def _bitmap(value: bytes) -> str:
    from firesteel.types.bitmap import bitmap_text

    return bitmap_text(value)


_SIMPLE: dict[TypeRoot, Callable[[Any], str]] = {
    TypeRoot.NULL: str,
    TypeRoot.BOOLEAN: lambda v: "TRUE" if v else "FALSE",
    **dict.fromkeys(INTEGERS, str),
    **dict.fromkeys(CHARACTER, str),
    **dict.fromkeys(BYTES_LIKE, bytes_text),
    TypeRoot.FLOAT: float_text,
    TypeRoot.DOUBLE: double_text,
    TypeRoot.DECIMAL: lambda v: format(v, "f"),
    TypeRoot.DATE: date_text,
    TypeRoot.INTERVAL_YEAR_MONTH: year_month_text,
    TypeRoot.INTERVAL_DAY_TIME: day_time_text,
    TypeRoot.VARIANT: _variant,
    TypeRoot.BITMAP: _bitmap,
}
