"""Arrow types that carry SQL values, in tables and in DuckDB.

TIMESTAMP(p) is in microseconds up to p = 6 and in nanoseconds above. TIMESTAMP_LTZ is the instant in UTC.
An interval is its number of months (int32) or milliseconds (int64), as in Flink's internal form. VARIANT is
the binary of types/variant.py, BITMAP that of types/bitmap.py.

MAP and MULTISET are lists of entries: Flink's maps may have a NULL key, and some functions return a key
twice. Arrow's own map type has no NULL key. The field names of an entry distinguish a MAP from an ARRAY of
ROWs.
"""

from __future__ import annotations

import pyarrow as pa

from firesteel.types.sql import SqlType, TypeRoot

_SIMPLE = {
    TypeRoot.NULL: pa.null(),
    TypeRoot.BOOLEAN: pa.bool_(),
    TypeRoot.TINYINT: pa.int8(),
    TypeRoot.SMALLINT: pa.int16(),
    TypeRoot.INTEGER: pa.int32(),
    TypeRoot.BIGINT: pa.int64(),
    TypeRoot.FLOAT: pa.float32(),
    TypeRoot.DOUBLE: pa.float64(),
    TypeRoot.CHAR: pa.string(),
    TypeRoot.VARCHAR: pa.string(),
    TypeRoot.BINARY: pa.binary(),
    TypeRoot.VARBINARY: pa.binary(),
    TypeRoot.DATE: pa.date32(),
    TypeRoot.TIME: pa.time64("us"),
    TypeRoot.INTERVAL_YEAR_MONTH: pa.int32(),
    TypeRoot.RAW: pa.binary(),
    TypeRoot.INTERVAL_DAY_TIME: pa.int64(),
    TypeRoot.VARIANT: pa.binary(),
    TypeRoot.BITMAP: pa.binary(),
}


KEY, VALUE = "$key", "$value"
"""Field names of a map entry."""


def entries(key: pa.DataType, value: pa.DataType) -> pa.ListType:
    """Return the Arrow type of maps with this key and value type."""
    return pa.list_(pa.struct([pa.field(KEY, key), pa.field(VALUE, value)]))


def is_entries(kind: pa.DataType) -> bool:
    """Return whether an Arrow type carries maps."""
    return (
        pa.types.is_list(kind)
        and pa.types.is_struct(kind.value_type)
        and [each.name for each in kind.value_type] == [KEY, VALUE]
    )


def to_arrow(kind: SqlType) -> pa.DataType:
    """Return the Arrow type that carries values of a SQL type."""
    root = kind.root
    if root is TypeRoot.DECIMAL:
        return pa.decimal128(kind.precision, kind.scale)
    if root is TypeRoot.TIMESTAMP:
        return pa.timestamp("us" if (kind.precision or 0) <= 6 else "ns")
    if root is TypeRoot.TIMESTAMP_LTZ:
        return pa.timestamp("us" if (kind.precision or 0) <= 6 else "ns", tz="UTC")
    if root is TypeRoot.ARRAY:
        return pa.list_(to_arrow(kind.children[0]))
    if root is TypeRoot.MAP:
        return entries(to_arrow(kind.children[0]), to_arrow(kind.children[1]))
    if root is TypeRoot.MULTISET:
        return entries(to_arrow(kind.children[0]), pa.int32())
    if root is TypeRoot.ROW:
        fields = zip(kind.names, kind.children, strict=True)
        return pa.struct([pa.field(name, to_arrow(child)) for name, child in fields])
    return _SIMPLE[root]
