"""Conversion of maps to Arrow's own map type, for user-defined functions, pandas and Spark."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.types.arrow import KEY, VALUE, is_entries


def map_type(kind: pa.DataType) -> pa.DataType:
    """Return the type with Arrow maps in place of lists of entries, at any depth."""
    if is_entries(kind):
        key, value = (map_type(each.type) for each in kind.value_type)
        return pa.map_(key, value)
    if pa.types.is_list(kind):
        inner = map_type(kind.value_type)
        return kind if inner.equals(kind.value_type) else pa.list_(inner)
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(map_type(each.type)) for each in kind])
    return kind


def as_maps(array: pa.Array) -> pa.Array:
    """Return the column in the type `map_type(array.type)`.

    Raises:
        JobError: A map has a NULL key, which Arrow maps cannot hold.
    """
    kind = array.type
    target = map_type(kind)
    if target.equals(kind):
        return array
    if array.offset:
        array = array.take(pa.array(range(len(array)), pa.int64()))
    missing = array.is_null()
    if is_entries(kind):
        keys, values = (as_maps(array.values.field(i)) for i in range(2))
        if keys.null_count:
            raise JobError("A MAP with a NULL key cannot leave for pandas, Arrow or a DataFrame")
        return pa.MapArray.from_arrays(array.offsets, keys, values, type=target, mask=missing)
    if pa.types.is_list(kind):
        return pa.ListArray.from_arrays(array.offsets, as_maps(array.values), type=target, mask=missing)
    columns = [as_maps(array.field(i)) for i in range(kind.num_fields)]
    return pa.StructArray.from_arrays(columns, fields=list(target), mask=missing)


def column_as_maps(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a chunked column with Arrow maps in place of lists of entries, at any depth.

    Raises:
        JobError: A map has a NULL key, which Arrow maps cannot hold.
    """
    target = map_type(column.type)
    if target.equals(column.type):
        return column
    return pa.chunked_array([as_maps(chunk) for chunk in column.chunks], target)


def pairs_in(values: list[Any], kind: pa.DataType) -> list[Any]:
    """Return Python values of a column, with a list of (key, value) pairs in place of each map.

    Args:
        values: Values of the column as `to_pylist` returns them, None for NULL.
        kind: Arrow type of the column.
    """
    convert = _with_pairs(kind)
    return values if convert is None else [None if value is None else convert(value) for value in values]


@lru_cache(maxsize=256)
def _with_pairs(kind: pa.DataType) -> Callable[[Any], Any] | None:
    """Return a function that converts map entries to pairs, at any depth; None if the type has no maps."""
    if pa.types.is_list(kind):
        inner = _nested_pairs(kind.value_type)
        if is_entries(kind):
            key, value = (_nested_pairs(each.type) or _same for each in kind.value_type)
            return lambda entries: [(key(each[KEY]), value(each[VALUE])) for each in entries]
        return None if inner is None else lambda values: list(map(inner, values))
    if pa.types.is_struct(kind):
        fields = {each.name: convert for each in kind if (convert := _nested_pairs(each.type))}
        if fields:
            return lambda row: {n: fields[n](v) if n in fields else v for n, v in row.items()}
    return None


def _nested_pairs(kind: pa.DataType) -> Callable[[Any], Any] | None:
    convert = _with_pairs(kind)
    return None if convert is None else lambda value: None if value is None else convert(value)


def _same(value: Any) -> Any:
    return value
