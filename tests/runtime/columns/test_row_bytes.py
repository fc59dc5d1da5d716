"""Bytes of rows, and pieces of bounded size."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.row_bytes import pieces, row_bytes


def test_strings_count_with_their_own_bytes_and_nested_values_with_a_mean() -> None:
    texts = pa.array(["", None, "a" * 100, "ü"])
    numbers = pa.array([1, None, 3, 4], pa.int64())
    lists = pa.array([[1, 2], None, [3], []], pa.list_(pa.int64()))
    assert row_bytes([texts, numbers], 4).tolist() == [13, 13, 113, 15]
    assert row_bytes([texts.slice(2, 1)], 1).tolist() == [105]
    assert len(set(row_bytes([lists], 4).tolist())) == 1
    assert row_bytes([pa.nulls(2), pa.array([True, None])], 2).tolist() == [2, 2]
    assert row_bytes([], 0).tolist() == []


def test_pieces_are_small_and_never_empty() -> None:
    sizes = np.array([3, 3, 3, 50, 1, 9, 1])
    assert list(pieces(sizes, 10)) == [(0, 3), (3, 4), (4, 6), (6, 7)]
    assert list(pieces(sizes[:0], 10)) == []
