"""UNNEST in columns: the elements of all rows' collections at once.

Flink: UnnestRowsFunction, UnnestRowsWithOrdinalityFunction, ReplicateRows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.kernels.column_hashes import null_mask, offsets_of
from firesteel.runtime.columns.keys import one_array
from firesteel.runtime.operators.correlate.rows import FunctionRows, Index
from firesteel.types.arrow import VALUE
from firesteel.types.sql import SqlType, TypeRoot


def unnest(collections: pa.Array | pa.ChunkedArray, kind: SqlType, ordinality: bool) -> FunctionRows:
    """Return the elements of each collection. A NULL or empty collection has no elements.

    A NULL element is left out if the elements are rows, and kept otherwise.

    Args:
        collections: n collections.
        kind: Their type.
        ordinality: Whether to append the numbers of the elements within their collection, from 1.
    """
    lists = one_array(collections)
    at, places = _elements(lists)
    elements = lists.values.take(pa.array(places))
    if kind.root is TypeRoot.MULTISET:
        counts = np.maximum(elements.field(VALUE).to_numpy(zero_copy_only=False), 0)
        each = np.repeat(np.arange(len(at)), counts)
        at, elements = at[each], elements.field(0).take(pa.array(each))
    columns = (elements.field(0), elements.field(1)) if kind.root is TypeRoot.MAP else (elements,)
    numbers = _numbers(at)
    if kind.root is not TypeRoot.MAP and kind.children[0].root is TypeRoot.ROW:
        there = pa.array(np.flatnonzero(~null_mask(elements)))
        rows = elements.take(there)
        at, numbers = at[there.to_numpy()], numbers[there.to_numpy()]
        columns = tuple(pc.struct_field(rows, i) for i in range(rows.type.num_fields))
    if ordinality:
        columns = (*columns, pa.array(numbers.astype(np.int32)))
    return FunctionRows(at, columns)


def _elements(lists: pa.ListArray) -> tuple[Index, Index]:
    """Return for each element the number of its list, and its position among the values of all lists."""
    offsets = offsets_of(lists)
    sizes = np.diff(offsets)
    if lists.null_count:
        sizes = np.where(null_mask(lists), 0, sizes)
    at = np.repeat(np.arange(len(lists), dtype=np.int64), sizes)
    within = np.arange(len(at), dtype=np.int64) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return at, offsets[:-1][at] + within


def _numbers(at: Index) -> Index:
    """Return the position of each result of a table function among those of the same input row, from 1.

    Args:
        at: int64[m], index of the input row of each result, ascending: [0, 0, 3] gives [1, 2, 1].
    """
    starts = np.flatnonzero(np.diff(at, prepend=-1))
    sizes = np.diff(starts, append=len(at))
    return np.arange(1, len(at) + 1, dtype=np.int64) - np.repeat(starts, sizes)


def replicate(counts: pa.Array | pa.ChunkedArray, columns: Sequence[pa.Array]) -> FunctionRows:
    """Return each row as often as its count requests. A NULL or negative count is 0."""
    numbers = one_array(counts).fill_null(0).to_numpy()
    at = np.repeat(np.arange(len(numbers), dtype=np.int64), np.maximum(numbers, 0))
    places = pa.array(at)
    return FunctionRows(at, tuple(one_array(column).take(places) for column in columns))
