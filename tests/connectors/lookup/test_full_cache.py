"""A cache of a whole table: when it is read, and read again."""

from __future__ import annotations

from datetime import datetime, time, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest

from firesteel.connectors.lookup.full_cache import FullCached, next_reload
from firesteel.connectors.lookup.options import FullCache
from firesteel.connectors.lookup.row_index import RowIndex
from tests.runtime.operators.lookup_join.tables import values

ROWS = [(1, "Ann"), (2, "Bob"), (2, "Bo"), (3, None), (None, "Zed")]


class Table:
    """Rows that may change, and a clock that a test moves on. A read takes `takes` seconds."""

    def __init__(self, takes: float = 0) -> None:
        self.rows, self.reads, self.now, self.takes = list(ROWS), 0, 1000.0, takes

    def read(self) -> RowIndex:
        self.reads += 1
        self.now += self.takes
        columns = list(zip(*self.rows, strict=True))
        return RowIndex([pa.array(columns[0], pa.int32()), pa.array(columns[1], pa.string())], (0,))

    def clock(self) -> float:
        return self.now


def find(cache: FullCached, *keys: int) -> list[tuple[Any, ...]]:
    return values(cache.find([pa.array(keys, pa.int32())]))


def test_a_table_is_read_once_and_its_rows_keep_their_order() -> None:
    table = Table()
    cache = FullCached(table.read, FullCache(10_000), table.clock)
    assert table.reads == 0
    assert find(cache, 2, 9, 1) == [(0, 2, "Bob"), (0, 2, "Bo"), (2, 1, "Ann")]
    assert find(cache, 3) == [(0, 3, None)]
    assert table.reads == 1


@pytest.mark.parametrize(("from_start", "due"), [(True, 1010.0), (False, 1013.0)])
def test_a_table_is_read_again_when_that_is_due(from_start: bool, due: float) -> None:
    table = Table(takes=3)
    cache = FullCached(table.read, FullCache(10_000, from_start), table.clock)
    find(cache, 1)
    table.rows = [(1, "Eve")]
    table.now = due - 0.001
    assert find(cache, 1, 2) == [(0, 1, "Ann"), (1, 2, "Bob"), (1, 2, "Bo")]
    table.now = due
    assert find(cache, 1, 2) == [(0, 1, "Eve")]
    assert table.reads == 2


def test_a_table_without_rows_has_no_answers() -> None:
    table = Table()
    empty = RowIndex([pa.nulls(0, pa.int32()), pa.nulls(0, pa.string())], (0,))
    assert find(FullCached(lambda: empty, FullCache(1), table.clock), 1, 2) == []


@pytest.mark.parametrize(
    ("now", "days", "due"),
    [
        ("2026-05-01T09:59:59", 1, "2026-05-01T10:15:00"),
        ("2026-05-01T10:15:00", 1, "2026-05-02T10:15:00"),
        ("2026-05-01T23:00:00", 1, "2026-05-02T10:15:00"),
        ("2026-05-01T23:00:00", 3, "2026-05-04T10:15:00"),
    ],
)
@pytest.mark.parametrize("offset", [0, 7, -5])
def test_times_of_day(now: str, days: int, due: str, offset: int) -> None:
    zone = timezone(timedelta(hours=offset))
    settings = FullCache(at=time(10, 15, tzinfo=zone), days=days)
    start = datetime.fromisoformat(now).replace(tzinfo=zone).timestamp()
    assert next_reload(settings, start, start + 5) == (
        datetime.fromisoformat(due).replace(tzinfo=zone).timestamp()
    )
