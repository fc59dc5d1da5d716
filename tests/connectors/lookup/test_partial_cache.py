"""A cache of keys: what it asks of the table, what it answers, and what it drops."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa

from firesteel.connectors.lookup.options import PartialCache
from firesteel.connectors.lookup.partial_cache import PartialCached
from firesteel.types.sql import INT, STRING
from tests.runtime.operators.lookup_join.tables import MemoryTable, values

ROWS = [(1, "Ann"), (2, "Bob"), (2, "Bo"), (3, None)]


class Time:
    """Milliseconds that a test moves on."""

    now = 0

    def __call__(self) -> int:
        return self.now


def cached(**settings: Any) -> tuple[PartialCached, MemoryTable, Time]:
    given = {"after_access": None, "after_write": None, "most": None, **settings}
    table, time = MemoryTable(ROWS, (INT, STRING)), Time()
    return PartialCached(table, PartialCache(**given), time), table, time


def find(cache: PartialCached, *keys: int) -> list[tuple[Any, ...]]:
    return values(cache.find([pa.array(keys, pa.int32())]))


def test_a_key_is_asked_for_once() -> None:
    cache, table, _ = cached(most=10)
    for _ in range(2):
        assert find(cache, 2, 9, 1) == [(0, 2, "Bob"), (0, 2, "Bo"), (2, 1, "Ann")]
    assert find(cache, 3, 1) == [(0, 3, None), (1, 1, "Ann")]
    assert table.asked == [[(2,), (9,), (1,)], [(3,)]]
    assert len(cache) == 4


def test_a_cached_row_stays_as_it_was_read() -> None:
    cache, table, _ = cached(most=10)
    find(cache, 1, 9)
    table.rows = [(1, "Eve"), (9, "new")]
    assert find(cache, 1, 9) == [(0, 1, "Ann")]


def test_keys_without_rows_are_asked_again_unless_they_are_kept() -> None:
    cache, table, _ = cached(most=10, keeps_missing=False)
    assert find(cache, 1, 9) == [(0, 1, "Ann")]
    table.rows.append((9, "new"))
    assert find(cache, 1, 9) == [(0, 1, "Ann"), (1, 9, "new")]
    assert table.asked == [[(1,), (9,)], [(9,)]]


def test_keys_expire_after_they_were_written() -> None:
    cache, table, time = cached(after_write=100)
    find(cache, 1)
    time.now = 60
    find(cache, 1, 2)
    time.now = 100
    assert find(cache, 2, 1) == [(0, 2, "Bob"), (0, 2, "Bo"), (1, 1, "Ann")]
    assert table.asked == [[(1,)], [(2,)], [(1,)]]


def test_keys_expire_after_they_were_used() -> None:
    cache, table, time = cached(after_access=100)
    find(cache, 1, 2)
    time.now = 60
    find(cache, 1)
    time.now = 120
    find(cache, 1, 2)
    assert table.asked == [[(1,), (2,)], [(2,)]]


def test_the_keys_unused_for_the_longest_time_are_dropped() -> None:
    cache, table, time = cached(most=2)
    for time.now, key in enumerate([1, 2, 1, 3]):
        find(cache, key)
    assert len(cache) == 2
    find(cache, 1, 3)
    assert table.asked == [[(1,)], [(2,)], [(3,)]]
    find(cache, 2)
    assert table.asked[3:] == [[(2,)]]


def test_a_batch_of_more_keys_than_the_cache_holds_is_answered_whole() -> None:
    cache, _, _ = cached(most=1)
    assert find(cache, 1, 2, 3) == [(0, 1, "Ann"), (1, 2, "Bob"), (1, 2, "Bo"), (2, 3, None)]
    assert len(cache) == 1
    nothing, _, _ = cached(most=0)
    assert find(nothing, 1) == [(0, 1, "Ann")]
    assert len(nothing) == 0


def test_random_keys_are_answered_as_without_a_cache() -> None:
    chance = random.Random(5)
    cache, table, time = cached(most=20, after_write=50, after_access=20)
    table.rows = [(chance.randrange(60), str(n)) for n in range(80)]
    for _ in range(200):
        time.now += chance.randrange(8)
        keys = chance.sample(range(80), chance.randrange(1, 12))
        expected = [(n, *row) for n, key in enumerate(keys) for row in table.rows if row[0] == key]
        assert find(cache, *keys) == expected
        assert len(cache) <= 20
