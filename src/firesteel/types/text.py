"""Texts of values, as CAST to STRING returns them and printed results (tableau mode) show them.

Rules: Flink's `CastRule`s to CHARACTER_STRING, also used by `PrintStyle`, and Java's `Double.toString`: the
shortest digits that read back as the same number, with an exponent outside [0.001, 10000000).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from firesteel.types.primitive_text import (
    _NANOS,
    date_text,
    day_time_text,
    double_text,
    float_text,
    local_nanos,
    time_text,
    timestamp_text,
    year_month_text,
)
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot

NULL_TEXT = "<NULL>"
"""Text of NULL as a cell of a printed result. Inside a row, array or map, NULL is printed as `NULL`."""


def render(array: pa.Array | pa.ChunkedArray, kind: SqlType, time_zone: str = "UTC") -> list[str]:
    """Return the cells of a printed result for a column. TIMESTAMP_LTZ is shown in the time zone."""
    write = writer(kind, time_zone)
    return [NULL_TEXT if value is None else write(value) for value in plain_values(array)]


def plain_values(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values as `to_pylist` does, but times in nanoseconds and dates in days, as ints."""
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
    """Return a function that returns the text of one value.

    Args:
        kind: SQL type of the value.
        time_zone: Time zone of TIMESTAMP_LTZ.
        cast: Whether bytes are read as UTF-8, as CAST to STRING does. If not, they become x'...'.

    Returns:
        A function that takes a value as `plain_values` returns it, but not None.
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
    """Return BINARY as a printed result shows it: x'68656c6c6f'."""
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
