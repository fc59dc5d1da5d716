"""The ends of many keys' ordered maps against sorted lists, and how often the state is read for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.runtime.aggregate.functions.declaration import MapView
from firesteel.runtime.aggregate.row_engine.map_bounds import MapBounds
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, INT

VIEW = MapView("map", INT, BIGINT, sorted=True)


class CountedReads:
    """An ordered map that counts how often one of its ends is read."""

    def __init__(self, state) -> None:
        self._state = state
        self.count = 0

    def first(self, *rest):
        self.count += 1
        return self._state.first(*rest)

    def last(self, *rest):
        self.count += 1
        return self._state.last(*rest)


@pytest.mark.parametrize("least", [True, False], ids=["least", "greatest"])
def test_is_the_first_that_is_not_known_of_each_key_that_asks(least):
    generator, count = np.random.default_rng(7), 3000
    maps = [set(generator.integers(0, 50, generator.integers(0, 40)).tolist()) for _ in range(count)]
    keys = find_keys([pa.array(np.arange(count))], count)
    rows = [(owner, name) for owner in range(count) for name in maps[keys.columns[0][owner].as_py()]]
    owners, names = np.array([row[0] for row in rows]), pa.array([row[1] for row in rows], pa.int32())
    state = CountedReads(memory_backend().ordered("m", pa.int32(), [pa.int64()]))
    state._state.put(keys, owners, names, [pa.array(owners)], 0)
    known_owners = np.flatnonzero(generator.random(count) < 0.9)
    ends = MapBounds(state, VIEW, keys, known_owners, 0)
    for owner in known_owners[generator.random(len(known_owners)) < 0.7].tolist():
        mine = maps[keys.columns[0][owner].as_py()]
        known = {name for name in mine if generator.random() < generator.choice([0.2, 1.0])}
        left = sorted(mine - known, reverse=not least)
        assert ends.outside(owner, known, least) == (left[0] if left else None)
    assert state.count < 500  # of some 1,900 keys; most of them for those that have many that are known
