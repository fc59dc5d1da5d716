"""Sort keys of rows as integers, by which rows are sorted and compared instead of by their values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.errors import InternalError
from firesteel.kernels.column_hashes import null_mask
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.state.order_codes import SortOrder, decimal_words, is_exact, order_words

Index = NDArray[np.int64]
_SIGN = np.uint64(1 << 63)


def sort_parts(columns: Sequence[pa.Array], orders: Sequence[SortOrder]) -> list[Index]:
    """Return integers that sort, and are equal, like the sort keys of n rows.

    They are columns, int64[n] each, most significant first.

    FLOAT and DOUBLE are in the order of Java's compareTo (order_codes.py).

    Args:
        columns: Sort key columns, n rows each.
        orders: Sort order of each.
    """
    parts: list[Index] = []
    for column, order in zip(columns, orders, strict=True):
        words = _words(column)
        if order.descending:
            words = [~word for word in words]
        if column.null_count:
            null = null_mask(column)
            words = [np.where(null, 0, word) for word in words]
            parts.append(np.where(null, 1 if order.nulls_last else -1, 0))
        parts += words
    return parts


def without_minus_zero(column: pa.Array) -> pa.Array:
    """Return a column in which -0.0 is 0.0, since ORDER BY has them equal."""
    return pc.add(column, pa.scalar(0, column.type)) if pa.types.is_floating(column.type) else column


def dense_codes(parts: Sequence[Index], rows: int) -> Index:
    """Return numbers that sort, and are equal, like the sort keys of n rows: 0, 1, ... without gaps.

    Args:
        parts: The sort keys, as `sort_parts` returns them.
        rows: Number of rows n.
    """
    if not parts or not rows:
        return np.zeros(rows, np.int64)
    order = stable_order_by(*parts)
    codes = np.empty(rows, np.int64)
    codes[order] = np.cumsum(starts_anew([part[order] for part in parts]))
    return codes


def starts_anew(sorted_parts: Sequence[Index]) -> NDArray[np.bool_]:
    """Return which of n sorted rows differ from the row before, bool[n]. The first row does not."""
    new = np.zeros(len(sorted_parts[0]), np.bool_)
    for part in sorted_parts:
        new[1:] |= part[1:] != part[:-1]
    return new


def _words(column: pa.Array) -> list[Index]:
    """Return columns of integers, most significant first, that sort like a column. NULL has any integer."""
    kind = column.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return [_ranks(column)]
    if pa.types.is_decimal(kind) and not is_exact(kind):
        return [(word ^ _SIGN).view(np.int64) for word in decimal_words(column)]
    if pa.types.is_struct(kind):
        raise InternalError(f"Values of type {kind} have no order")
    is_exact(kind)
    return [(order_words(column) ^ _SIGN).view(np.int64)]


def _ranks(column: pa.Array) -> Index:
    """Return the rank of each string among the distinct strings of the column, sorted by their bytes."""
    codes = column.cast(pa.binary()).fill_null(b"").dictionary_encode()
    order = pc.sort_indices(codes.dictionary).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    found: Index = rank[codes.indices.to_numpy()]
    return found
