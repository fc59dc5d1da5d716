"""Text of a row as the print connector writes it: `+I[Tom, 12]` (Flink: PrintTableSinkFactory, Row)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from firesteel.changelog import KIND, SHORT, field
from firesteel.connectors.java_values import object_hash
from firesteel.functions.java.hash_map import hashed
from firesteel.types.primitive_text import date_text, double_text, float_text
from firesteel.types.sql import BYTES_LIKE, CHARACTER, SqlType, TypeRoot
from firesteel.types.text import plain_values, writer

Write = Callable[[Any], str]
_NANOS_PER_DAY = 86_400 * 10**9


def lines(changes: pa.Table, types: tuple[SqlType, ...]) -> Iterator[str]:
    """Yield each row of a changes table as text, without a line end."""
    writers = [_null_safe(kind) for kind in types]
    columns = [
        [write(value) for value in plain_values(changes[field(index)])] for index, write in enumerate(writers)
    ]
    kinds = [SHORT[kind] for kind in changes[KIND].to_pylist()]
    for index, kind in enumerate(kinds):
        yield f"{kind}[{', '.join([column[index] for column in columns])}]"


def _null_safe(kind: SqlType) -> Write:
    write = _writer(kind)
    return lambda value: "null" if value is None else write(value)


def _writer(kind: SqlType) -> Write:
    root = kind.root
    if root is TypeRoot.CHAR:
        length = kind.length or 1
        return lambda value: str(value).ljust(length)
    if root is TypeRoot.DECIMAL:
        return lambda value: f"{value:f}"
    if root in CHARACTER:
        return str
    if root in BYTES_LIKE:
        return lambda value: f"[{', '.join(str(byte - 256 if byte > 127 else byte) for byte in value)}]"
    if root is TypeRoot.ARRAY:
        element = _null_safe(kind.children[0])
        return lambda value: f"[{', '.join(map(element, value))}]"
    if root in (TypeRoot.MAP, TypeRoot.MULTISET):
        return _map_writer(kind)
    if root is TypeRoot.ROW:
        children = [_null_safe(child) for child in kind.children]
        return lambda value: "+I[" + ", ".join(w(x) for w, x in zip(children, value, strict=True)) + "]"
    if root in (TypeRoot.VARIANT, TypeRoot.BITMAP):
        return writer(kind)
    return _SIMPLE.get(root, str)


def _map_writer(kind: SqlType) -> Write:
    key = _null_safe(kind.children[0])
    item = _null_safe(kind.children[1]) if kind.root is TypeRoot.MAP else str

    hash_of = object_hash(kind.children[0])

    def write(value: Any) -> str:
        pairs = value if hash_of is None else hashed(list(dict(value).items()), hash_of)
        return "{" + ", ".join(f"{key(one)}={item(other)}" for one, other in pairs) + "}"

    return write


def _local_time(nanos: int) -> str:
    """Return a time of day as text, as Java's LocalTime.toString does. `nanos` counts from midnight.

    The seconds are left out if both they and the fraction are zero. A fraction has 3, 6 or 9 digits; a zero
    fraction is left out. Examples are `10:15`, `10:15:07`, `10:15:00.500` and `10:15:07.000001`.
    """
    seconds, fraction = divmod(nanos, 10**9)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    if not seconds % 60 and not fraction:
        return text
    text += f":{seconds % 60:02d}"
    if not fraction:
        return text
    digits = 3 if fraction % 10**6 == 0 else 6 if fraction % 10**3 == 0 else 9
    return f"{text}.{f'{fraction:09d}'[:digits]}"


def local_date_time(nanos: int) -> str:
    """Return Java's LocalDateTime.toString of nanoseconds since 1970."""
    days, rest = divmod(nanos, _NANOS_PER_DAY)
    return f"{date_text(days)}T{_local_time(rest)}"


def _instant(nanos: int) -> str:
    """Return Java's Instant.toString of nanoseconds since 1970, which always shows the seconds."""
    text = local_date_time(nanos)
    return f"{text}:00Z" if len(text) == len("2020-01-02T03:04") else f"{text}Z"


def _period(months: int) -> str:
    """Return Java's Period.toString of a number of months, normalised to years and months."""
    if months == 0:
        return "P0D"
    sign = -1 if months < 0 else 1
    years, rest = divmod(abs(months), 12)
    return "P" + (f"{sign * years}Y" if years else "") + (f"{sign * rest}M" if rest else "")


def _duration(millis: int) -> str:
    """Return Java's Duration.toString of milliseconds."""
    if millis == 0:
        return "PT0S"
    sign = "-" if millis < 0 else ""
    hours, rest = divmod(abs(millis), 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    text = "PT" + (f"{sign}{hours}H" if hours else "") + (f"{sign}{minutes}M" if minutes else "")
    if rest:
        seconds = f"{rest // 1000}.{rest % 1000:03d}".rstrip("0").rstrip(".")
        text += f"{sign}{seconds}S"
    return text


_SIMPLE: dict[TypeRoot, Write] = {
    TypeRoot.BOOLEAN: lambda value: "true" if value else "false",
    TypeRoot.FLOAT: float_text,
    TypeRoot.DOUBLE: double_text,
    TypeRoot.DATE: date_text,
    TypeRoot.TIME: _local_time,
    TypeRoot.TIMESTAMP: local_date_time,
    TypeRoot.TIMESTAMP_LTZ: _instant,
    TypeRoot.INTERVAL_YEAR_MONTH: _period,
    TypeRoot.INTERVAL_DAY_TIME: _duration,
}
