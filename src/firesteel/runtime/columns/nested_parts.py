"""Extract values from nested columns: a ROW's field, an ARRAY's element or a MAP's value of a key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.kernels.column_hashes import null_mask, offsets_of
from firesteel.runtime.columns.keys import one_array
from firesteel.types.arrow import KEY, VALUE, is_entries
from firesteel.types.value_parts import Path


def part_of(column: pa.Array | pa.ChunkedArray, path: Path) -> pa.Array:
    """Return the values at a path in a nested column, n values.

    NULL if a step of the path finds nothing: the ROW, ARRAY or MAP is NULL, or has no such element or key.
    """
    values = one_array(column)
    for step in path:
        if pa.types.is_struct(values.type):
            values = _field(values, str(step))
        elif is_entries(values.type):
            values = _value(values, str(step))
        else:
            values = _element(values, int(step))
    return values


def _field(rows: pa.StructArray, name: str) -> pa.Array:
    """Return a field of all rows, NULL for a NULL row (StructArray.field would ignore that a row is NULL)."""
    return pc.struct_field(rows, rows.type.get_field_index(name))


def _element(lists: pa.ListArray, place: int) -> pa.Array:
    offsets = offsets_of(lists)
    at = offsets[:-1] + (place - 1)
    return _taken(lists.values, at, at >= offsets[1:], lists)


def _value(maps: pa.ListArray, key: str) -> pa.Array:
    """Return for each map the value of its first entry with the key `key`, NULL if it has none.

    As in Flink's binary maps, a NULL key counts as an empty string.
    """
    offsets, entries = offsets_of(maps), maps.values
    keys = entries.field(KEY).fill_null("")
    is_key = pc.equal(keys, key).to_numpy(zero_copy_only=False)
    before = np.append(0, np.cumsum(is_key))[offsets[:-1]]
    at = np.append(np.flatnonzero(is_key), len(keys))[before]
    return _taken(entries.field(VALUE), at, at >= offsets[1:], maps)


def _taken(values: pa.Array, at: NDArray[np.int64], beyond: NDArray[np.bool_], lists: pa.Array) -> pa.Array:
    """Return one element of each list, or NULL where `beyond` is True or the list is NULL.

    `values` has the elements of all lists, one list after the other. `at` has the position in `values` of the
    element of each list. `beyond` is True for a list without such an element.
    """
    missing = beyond | null_mask(lists) if lists.null_count else beyond
    if len(at) == len(values) and not missing.any() and np.array_equal(at, np.arange(len(at))):
        return values
    return values.take(pa.array(at, mask=missing))
