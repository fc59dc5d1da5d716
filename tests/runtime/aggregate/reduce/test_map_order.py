"""The order of a bundle's keys: what java.util.HashMap of Flink 2.3's BinaryRowData answered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.aggregate.reduce.map_order import MapOrder, spread_hashes
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.sequence import in_order, sequences
from firesteel.types.sql import INT, STRING
from tests.runtime.changes import Row, to_table

TYPES = (STRING, INT)
THIRTY = [
    11, 8, 13, 0, 25, 7, 9, 3, 29, 24, 28, 22, 6, 17, 20,
    27, 16, 14, 19, 12, 26, 5, 21, 2, 10, 4, 15, 18, 1, 23,
]  # fmt: skip
"""The keys ("k0", 0), ("k1", 1), ... ("k6", 6), ("k0", 7), ... as the map gave them back."""


def arranged(order: MapOrder, numbers: Sequence[int]) -> pa.Table:
    rows: list[Row] = [("+I", f"k{i % 7}", i) for i in numbers]
    return order.arranged(to_table(rows, TYPES))


@pytest.mark.parametrize(
    ("text", "number", "code"),
    [
        ("Tom", 3, -1939222670),
        ("", None, 105386218),
        ("李", -1, -1972208037),
        ("a longer text", 2147483647, -1076188805),
        (None, 0, 107960767),
    ],
)
def test_the_hash_of_a_key(text: str | None, number: int | None, code: int) -> None:
    keys = find_keys([pa.array([text], pa.string()), pa.array([number], pa.int32())], 1)
    unsigned = code & 0xFFFFFFFF
    assert spread_hashes(keys, TYPES).tolist() == [unsigned ^ unsigned >> 16]


def test_the_keys_stand_as_in_the_map() -> None:
    assert in_order(arranged(MapOrder((0, 1), TYPES), range(30)))["f1"].to_pylist() == THIRTY


def test_the_emptied_map_keeps_its_size() -> None:
    order = MapOrder((0, 1), TYPES)
    arranged(order, range(30))
    assert in_order(arranged(order, range(5)))["f1"].to_pylist() == [0, 3, 2, 4, 1]


def test_rows_of_a_key_stay_together_as_they_stood() -> None:
    table = arranged(MapOrder((0,), (STRING,)), range(30))
    assert table["f1"].to_pylist() == list(range(30))
    numbers = in_order(table)["f1"].to_pylist()
    keys = [n % 7 for n in numbers]
    assert sum(a != b for a, b in pairwise(keys)) == 6
    assert all(numbers.index(n) < numbers.index(n + 7) for n in range(23))


def test_orders_stay_within_the_bundle() -> None:
    """So that the next bundle's come after them."""
    before = sequences(to_table([("+I", f"k{i % 7}", i) for i in range(30)], TYPES))
    after = sequences(arranged(MapOrder((0, 1), TYPES), range(30)))
    assert np.sort(after).tolist() == np.sort(before).tolist()
