"""Bytes of accumulators and results."""

from __future__ import annotations

import pyarrow as pa

from firesteel.runtime.aggregate.row_engine.result_sizes import column_bytes, value_bytes


def test_lists_have_the_bytes_of_their_own_values() -> None:
    column = pa.array([["ab", "c"], None, [], ["x" * 1000], None], pa.list_(pa.string()))
    sizes = column_bytes(column).tolist()
    assert sizes[0] < 20
    assert sizes[1:3] == [0, 0]
    assert 1000 <= sizes[3] < 1010
    assert sizes[4] == 0
    assert column_bytes(column.slice(2, 2)).tolist() == sizes[2:4]


def test_lists_of_lists_have_the_bytes_of_their_own_values() -> None:
    column = pa.array([[["a"], ["b" * 50]], [["c"]]], pa.list_(pa.list_(pa.string())))
    first, second = column_bytes(column).tolist()
    assert first >= 51
    assert second < 20


def test_python_values_have_about_the_bytes_of_their_columns() -> None:
    assert value_bytes("abc") == 3
    assert value_bytes(None) == 0
    assert 1000 <= value_bytes(["x" * 500, "y" * 500]) < 1020
    assert 100 <= value_bytes({"k" * 100: [1, 0]}) < 120
    assert value_bytes(17) == 8
