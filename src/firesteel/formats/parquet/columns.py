"""Convert columns between Arrow's types and those of Parquet files.

A TIMESTAMP is stored as a point in time: its date and time are taken as local ones of the machine's time
zone, or as UTC. A TIME is stored in milliseconds, a MAP as Parquet's map type.
Flink: ParquetSchemaConverter, ParquetRowDataWriter.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.types.arrow import to_arrow
from firesteel.types.arrow_decimals import at_scale
from firesteel.types.sql import SqlType, TypeRoot
from firesteel.types.zones import machine_zone

_TIMES = (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)
_UNITS = ("s", "ms", "us", "ns")
_MAPS = (TypeRoot.MAP, TypeRoot.MULTISET)


def to_file(values: pa.Array | pa.ChunkedArray, kind: SqlType, utc: bool, unit: str | None) -> pa.Array:
    """Return a column converted to the type that a Parquet file stores.

    Args:
        values: The column.
        kind: Its SQL type.
        utc: Whether a TIMESTAMP is a time in UTC. If False, it is one in the machine's time zone.
        unit: Unit of a point in time that is stored in 64 bits; None to store it in 96 bits.
    """
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    if pa.types.is_null(array.type):
        array = array.cast(to_arrow(kind))
    root = kind.root
    if root in _TIMES:
        instants = _instants(array, utc) if root is TypeRoot.TIMESTAMP else array
        return _in_unit(instants, pa.timestamp(unit or "ns"))
    if root is TypeRoot.TIME:
        return array.cast(pa.time32("ms"), safe=False)
    if root is TypeRoot.ARRAY:
        return _list(array, to_file(array.flatten(), kind.children[0], utc, unit))
    if root in _MAPS:
        return _map(array, kind, utc, unit)
    if root is TypeRoot.ROW:
        parts = [
            to_file(part, child, utc, unit)
            for part, child in zip(array.flatten(), kind.children, strict=True)
        ]
        fields = [
            pa.field(n, p.type, k.nullable) for n, p, k in zip(kind.names, parts, kind.children, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, fields=fields, mask=array.is_null())
    return array


def from_file(values: pa.Array | None, kind: SqlType, rows: int, utc: bool) -> pa.Array:
    """Return a column of a Parquet file as a SQL type.

    If `values` is None, the file lacks the column, and the result is `rows` NULLs. `utc`: see `to_file`.

    Raises:
        pa.ArrowInvalid: A value does not fit.
    """
    target = to_arrow(kind)
    if values is None:
        return pa.nulls(rows, target)
    root = kind.root
    if root in _TIMES and pa.types.is_timestamp(values.type):
        if root is TypeRoot.TIMESTAMP:
            return _in_unit(_clocks(values.cast(pa.timestamp(values.type.unit)), utc), target)
        return _in_unit(values.cast(pa.timestamp(values.type.unit, "UTC")), target)
    if root is TypeRoot.ARRAY and pa.types.is_list(values.type):
        return _list(values, from_file(values.flatten(), kind.children[0], len(values.flatten()), utc))
    if root in _MAPS and pa.types.is_map(values.type):
        return _entries(values, kind, utc)
    if root is TypeRoot.ROW and pa.types.is_struct(values.type):
        there = {each.name.lower(): place for place, each in enumerate(values.type)}
        members = values.flatten()
        places = [there.get(name.lower()) for name in kind.names]
        parts = [
            from_file(None if place is None else members[place], child, rows, utc)
            for place, child in zip(places, kind.children, strict=True)
        ]
        return pa.StructArray.from_arrays(parts, fields=list(target), mask=values.is_null())
    if root is TypeRoot.DECIMAL and pa.types.is_decimal(values.type):
        return at_scale(values, target)
    return values.cast(target)


# --- nested ------------------------------------------------------------------------------------------
def _offsets(values: pa.Array) -> pa.Array:
    """Return the start of each list in `values.flatten()`, NULL for a list that is NULL."""
    sizes = pc.fill_null(pc.list_value_length(values), 0).to_numpy(zero_copy_only=False)
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    missing = np.append(values.is_null().to_numpy(zero_copy_only=False), False)
    return pa.array(starts, mask=missing)


def _list(values: pa.Array, items: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays(_offsets(values), items)


def _map(values: pa.Array, kind: SqlType, utc: bool, unit: str | None) -> pa.Array:
    keys, items = values.flatten().flatten()
    if keys.null_count:
        raise pa.ArrowInvalid("Parquet does not support null keys in maps.")
    second = kind.children[1] if kind.root is TypeRoot.MAP else None
    written = items if second is None else to_file(items, second, utc, unit)
    return pa.MapArray.from_arrays(_offsets(values), to_file(keys, kind.children[0], utc, unit), written)


def _entries(values: pa.Array, kind: SqlType, utc: bool) -> pa.Array:
    target = to_arrow(kind)
    as_list = values.cast(
        pa.list_(pa.struct([("key", values.type.key_type), ("value", values.type.item_type)]))
    )
    keys, items = as_list.flatten().flatten()
    second = kind.children[1] if kind.root is TypeRoot.MAP else None
    parts = [
        from_file(keys, kind.children[0], len(keys), utc),
        items.cast(pa.int32()) if second is None else from_file(items, second, len(items), utc),
    ]
    return _list(as_list, pa.StructArray.from_arrays(parts, fields=list(target.value_type)))


# --- times -------------------------------------------------------------------------------------------
def _in_unit(times: pa.Array, target: pa.TimestampType) -> pa.Array:
    """Return points in time in another unit. If the unit is coarser, truncate the digits that it lacks.

    Raises:
        pa.ArrowInvalid: The unit cannot represent a value.
    """
    return times.cast(target, safe=_UNITS.index(target.unit) > _UNITS.index(times.type.unit))


def _instants(clocks: pa.Array, utc: bool) -> pa.Array:
    """Return local times as points in time (Java: Timestamp.valueOf).

    They are times in UTC if `utc` is set, else in the machine's time zone. If a local time occurs twice,
    because clocks are set back, the result is the earlier point in time.
    """
    if utc or (zone := machine_zone()) == "UTC":
        return clocks
    found = pc.assume_timezone(clocks, zone, ambiguous="earliest", nonexistent="latest")
    return found.cast(pa.timestamp(clocks.type.unit, "UTC")).cast(clocks.type)


def _clocks(instants: pa.Array, utc: bool) -> pa.Array:
    if utc or (zone := machine_zone()) == "UTC":
        return instants
    return pc.local_timestamp(instants.cast(pa.timestamp(instants.type.unit, zone)))
