"""Rows of a repeated micro-batch that the caller has got are not given again."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from firesteel.spark.stream.delivered_rows import DeliveredRows


def attempt(given: DeliveredRows, batch: int, tables: Sequence[Sequence[int]], takes: int = 100) -> list[int]:
    """Give a micro-batch in tables, of which the caller takes the first; the rows that it got."""
    got: list[int] = []
    given.begin(batch)
    for rows in tables[:takes]:
        rest = given.rest(pa.table({"a": pa.array(rows, pa.int64())}))
        given.note(batch, rest.num_rows)
        got += rest["a"].to_pylist()
    return got


@pytest.mark.parametrize("takes", range(4))
def test_a_batch_that_is_repeated_gives_the_rest(takes: int) -> None:
    given = DeliveredRows()
    assert given.is_empty
    assert attempt(given, 4, [[1, 2]]) == [1, 2]
    assert not given.is_empty
    tables = [[3, 4], [5], [6, 7, 8]]
    first = attempt(given, 5, tables, takes)
    assert first + attempt(given, 5, tables) == [3, 4, 5, 6, 7, 8]
    assert attempt(given, 5, tables) == []
    assert attempt(given, 6, [[9]]) == [9]


def test_the_cut_into_tables_may_be_another() -> None:
    given = DeliveredRows()
    assert attempt(given, 0, [[1, 2], [3, 4]], takes=1) == [1, 2]
    assert attempt(given, 0, [[1], [2, 3], [4]]) == [3, 4]
