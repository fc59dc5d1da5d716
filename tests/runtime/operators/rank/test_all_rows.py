"""State of a rank over retractions: a batch reads the rows that it may send, whatever their sort keys."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.operators.rank.all_rows import AllRows
from firesteel.runtime.operators.rank.stored_rows import Retractions, StoredRows
from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import INT

ROWS = 5000


def stored(row_key: tuple[int, ...]) -> tuple[AllRows, Keys]:
    """Rows (0, number, 7) of one partition, sorted by the last field."""
    spec = RankSpec((INT, INT, INT), (0,), (2,), (SortOrder(),), RankStrategy.RETRACT, 2, row_key=row_key)
    state = AllRows(spec, memory_backend())
    fields = columns(range(ROWS))
    keys = find_keys([fields[0]], ROWS)
    rows = StoredRows(np.zeros(ROWS, np.int64), np.arange(ROWS), fields)
    state.write(keys, rows, 0, np.ones(ROWS, np.bool_))
    return state, find_keys([pa.array([0], pa.int32())], 1)


def columns(ids: range) -> tuple[pa.Array, ...]:
    same = [pa.array([value] * len(ids), pa.int32()) for value in (0, 7)]
    return same[0], pa.array(ids, pa.int32()), same[1]


def read(state: AllRows, keys: Keys, ids: range) -> StoredRows:
    """What a batch reads that takes some rows away."""
    taken = Retractions(np.zeros(len(ids), np.int64), columns(ids))
    return state.read(keys, np.array([2]), taken, 0)


@pytest.mark.parametrize("row_key", [(), (1,)])
def test_a_row_is_found_among_thousands_of_its_sort_key(row_key: tuple[int, ...]) -> None:
    state, keys = stored(row_key)
    assert sorted(read(state, keys, range(4000, 4001)).numbers.tolist()) == [0, 1, 2, 4000]
    assert sorted(read(state, keys, range(1, 2)).numbers.tolist()) == [0, 1, 2]
    assert sorted(read(state, keys, range(ROWS, ROWS + 1)).numbers.tolist()) == [0, 1, 2]
    assert read(state, keys, range(0)).numbers.tolist() == [0, 1]


@pytest.mark.parametrize("row_key", [(), (1,)])
def test_a_deleted_row_is_not_found(row_key: tuple[int, ...]) -> None:
    state, keys = stored(row_key)
    gone = StoredRows(np.zeros(1, np.int64), np.array([4000]), columns(range(4000, 4001)))
    state.write(keys, gone, 0, np.zeros(1, np.bool_))
    assert sorted(read(state, keys, range(4000, 4001)).numbers.tolist()) == [0, 1, 2]


def test_all_equal_rows_are_found() -> None:
    state, keys = stored(())
    again = StoredRows(np.zeros(1, np.int64), np.array([ROWS]), columns(range(4000, 4001)))
    state.write(keys, again, 0, np.ones(1, np.bool_))
    assert sorted(read(state, keys, range(4000, 4001)).numbers.tolist()) == [0, 1, 2, 4000, ROWS]


def test_a_new_row_of_a_key_replaces_the_old_one() -> None:
    """Both are written by one batch: the row that goes must not delete the number of the one that comes."""
    state, keys = stored((1,))
    both = columns(range(4000, 4001))
    fields = tuple(pa.concat_arrays([column, column]) for column in both)
    rows = StoredRows(np.zeros(2, np.int64), np.array([4000, ROWS]), fields)
    state.write(keys, rows, 0, np.array([False, True]))
    assert sorted(read(state, keys, range(4000, 4001)).numbers.tolist()) == [0, 1, 2, ROWS]
