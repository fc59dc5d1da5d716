"""Sort keys as integers: they sort, and are equal, like the values."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.state.order_codes import SortOrder
from firesteel.runtime.state.sort_parts import dense_codes, sort_parts, without_minus_zero

NAN, BIG = float("nan"), Decimal(10**30)


def ranks(column: pa.Array, order: SortOrder) -> list[int]:
    """The position of each value among the distinct ones."""
    return dense_codes(sort_parts([without_minus_zero(column)], [order]), len(column)).tolist()


@pytest.mark.parametrize(
    ("column", "ascending"),
    [
        (pa.array([3, None, -5, 3]), [2, 0, 1, 2]),
        (pa.array([1.5, NAN, -0.0, 0.0, None, -float("inf")]), [3, 4, 2, 2, 0, 1]),
        (pa.array(["b", "", "ab", "b\0", "é", None, "b"]), [3, 1, 2, 4, 5, 0, 3]),
        (pa.array([True, False, None]), [2, 1, 0]),
        (pa.array([BIG, -BIG, Decimal(7), None], pa.decimal128(38, 0)), [3, 1, 2, 0]),
        (pa.array([BIG, -BIG, Decimal(7), BIG], pa.decimal128(38, 0)), [2, 0, 1, 2]),
        (pa.array([5, -3, None], pa.timestamp("us")), [2, 1, 0]),
    ],
)
def test_values_sort_in_every_order(column: pa.Array, ascending: list[int]) -> None:
    assert ranks(column, SortOrder()) == ascending
    nulls = np.asarray(column.is_null())
    low, most = int(nulls.any()), max(ascending)
    last = [most if null else each - low for each, null in zip(ascending, nulls, strict=True)]
    assert ranks(column, SortOrder(nulls_last=True)) == last
    backwards = [most if null else most - low - each for each, null in zip(last, nulls, strict=True)]
    assert ranks(column, SortOrder(descending=True, nulls_last=True)) == backwards
    first = [0 if null else each + low for each, null in zip(backwards, nulls, strict=True)]
    assert ranks(column, SortOrder(descending=True)) == first


def test_the_first_column_decides() -> None:
    columns = [pa.array([1, 1, 0, 1]), pa.array(["b", "a", "z", "b"])]
    orders = [SortOrder(), SortOrder(descending=True)]
    assert dense_codes(sort_parts(columns, orders), 4).tolist() == [1, 2, 0, 1]


def test_without_a_sort_key_all_rows_are_equal() -> None:
    assert dense_codes(sort_parts([], []), 3).tolist() == [0, 0, 0]
