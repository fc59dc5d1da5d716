"""Keyed state as operators see it: columns by key, read and written for a whole batch at once.

    ValueState        a row a key                    accumulators
    MapState          by (key, sub-key), by hash     values seen (DISTINCT), the rows of a join
    OrderedMapState   by (key, sub-key), in order    MIN and MAX under retraction, Top-N, OVER, versions
    TimeState         by (time, key)                 timers, window ends

The first two are Flink's. A sub-key of several columns is a struct. Every call names its keys by `Keys`
(runtime/columns/keys.py): the distinct keys of a batch, sorted by hash; an `owners` array holds indices into
it. Times are milliseconds; `now` is the processing time of the batch. With a time to live, an entry written
at t is gone once `now >= t + ttl`; reading does not refresh it (Flink: OnCreateAndWrite, NeverReturnExpired).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.order_codes import SortOrder


@dataclass(frozen=True)
class Found:
    """Answer of a look-up of m entries.

    found: bool[m]. columns: m rows each, in the order asked; NULL where nothing was found.
    """

    found: NDArray[np.bool_]
    columns: tuple[pa.Array, ...]


@dataclass(frozen=True)
class Entries:
    """All live map entries of some keys, sorted by owner.

    owners: int64[m], non-decreasing indices into the `Keys` asked for. sub_keys and columns: m rows.
    """

    owners: NDArray[np.int64]
    sub_keys: pa.Array
    columns: tuple[pa.Array, ...]


class ValueState(Protocol):
    """One row of columns a key."""

    def get(self, keys: Keys, now: int) -> Found:
        """The rows of all keys."""
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], columns: Sequence[pa.Array], now: int,
        live: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """Write the rows of keys `owners` (ascending, distinct). Where `live` is false, delete."""
        ...


class MapState(Protocol):
    """Rows of columns by key and sub-key. Sub-keys are equal in binary form; NULL is a sub-key (but not of
    an ordered map)."""

    def get(self, keys: Keys, owners: NDArray[np.int64], sub_keys: pa.Array, now: int) -> Found:
        """Look up m pairs (key, sub-key), in any order."""
        ...

    def entries(self, keys: Keys, owners: NDArray[np.int64], now: int) -> Entries:
        """All entries of the keys `owners` (ascending, distinct)."""
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], sub_keys: pa.Array, columns: Sequence[pa.Array],
        now: int, live: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """Write m distinct pairs, in any order. Where `live` is false, delete."""
        ...

    def clear(self, keys: Keys, owners: NDArray[np.int64], now: int) -> None:
        """Delete all entries of the keys `owners` (ascending, distinct)."""
        ...


class OrderedMapState(MapState, Protocol):
    """A map whose entries stand in the order of their sub-keys (order_codes.py says which that is).

    What is at one end of it costs what is asked for, however many entries a key has. A sub-key is not
    NULL; fields of a sub-key of several columns may be. `entries` are ascending by owner and sub-key.
    """

    def first(
        self, keys: Keys, owners: NDArray[np.int64], counts: NDArray[np.int64], now: int,
        start: pa.Array | None = None,
    ) -> Entries:  # fmt: skip
        """The first `counts[i]` entries of the keys `owners[i]` (ascending, distinct), ascending by owner
        and sub-key; of those at or after the sub-key `start[i]` where it is given. Entries that have been
        deleted in front of them cost as others, until a merge drops them: who knows where the live ones
        begin gives it as `start`."""
        ...

    def last(
        self, keys: Keys, owners: NDArray[np.int64], counts: NDArray[np.int64], now: int,
        start: pa.Array | None = None,
    ) -> Entries:  # fmt: skip
        """The same from the other end: ascending by owner, descending by sub-key; `start`: at or before."""
        ...

    def range(
        self, keys: Keys, owners: NDArray[np.int64], low: pa.Array | None, high: pa.Array | None, now: int
    ) -> Entries:
        """The entries of the keys `owners[i]` (ascending, distinct) with low[i] <= sub-key < high[i], as far
        as these are given; ascending by owner and sub-key."""
        ...

    def floor(self, keys: Keys, owners: NDArray[np.int64], sub_keys: pa.Array, now: int) -> Found:
        """For m pairs (key, sub-key), in any order, the key's entry with the greatest sub-key at or below:
        columns are its sub-key, then its own."""
        ...


@dataclass(frozen=True)
class Due:
    """Entries of a time state, ascending by time.

    times: int64[m]. keys: the columns of their keys, columns: their own; m rows each. A key is there once
    for each of its times.
    """

    times: NDArray[np.int64]
    keys: tuple[pa.Array, ...]
    columns: tuple[pa.Array, ...]


class TimeState(Protocol):
    """Rows of columns by time (any int64, milliseconds as a rule) and key. They have no time to live."""

    def get(self, keys: Keys, owners: NDArray[np.int64], times: NDArray[np.int64]) -> Found:
        """Look up m pairs (time, key), in any order."""
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], times: NDArray[np.int64],
        columns: Sequence[pa.Array] = (), live: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """Write m distinct pairs, in any order: a timer that is there already is one still. Where `live` is
        false, delete."""
        ...

    def take_until(self, time: int) -> Due:
        """Take out all entries up to and with `time`: one range is read and cut off, whatever lies above."""
        ...

    def read_until(self, time: int) -> Due:
        """All entries up to and with `time`, which stay."""
        ...

    def drop_until(self, time: int) -> None:
        """Forget all entries up to and with `time`, without a look at them."""
        ...

    def next_time(self) -> int | None:
        """The smallest time, None where there is no entry."""
        ...


class StateBackend(Protocol):
    """The state of one operator in one key group (or in all, where one task owns them all).

    `value`, `map`, `ordered` and `times` may be called again with the same arguments and give the same state.
    """

    def value(
        self, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType], ttl: int = 0
    ) -> ValueState:
        """The state called `name`. ttl: milliseconds, 0 for ever."""
        ...

    def map(
        self, name: str, sub_type: pa.DataType, types: Sequence[pa.DataType], ttl: int = 0
    ) -> MapState:  # fmt: skip
        """The map state called `name`."""
        ...

    def ordered(
        self, name: str, sub_type: pa.DataType, types: Sequence[pa.DataType], ttl: int = 0,
        orders: Sequence[SortOrder] = (),
    ) -> OrderedMapState:  # fmt: skip
        """The ordered map called `name`. orders: how each field of a struct is sorted; of any other type
        none, it is ascending (`last` reads it from the other end). Raises InternalError for a type without
        an order."""
        ...

    def times(
        self, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType] = ()
    ) -> TimeState:
        """The time state called `name`."""
        ...

    def commit(self) -> None:
        """Make what was written durable: new runs and the manifest go to the store."""
        ...


class RunStore(Protocol):
    """The durable home of a backend: a map from run id to bytes, and one small value, the manifest.

    Spark's state store implements it (MapState and ValueState), and a dictionary does. What is put
    becomes durable with the host's own commit.
    """

    def get(self, run: str) -> bytes | None:
        """The bytes of a run, None where there is none."""
        ...

    def put(self, run: str, data: bytes) -> None:
        """Store a new run; ids are never used twice."""
        ...

    def remove(self, runs: Iterable[str]) -> None:
        """Forget runs."""
        ...

    def manifest(self) -> bytes | None:
        """The manifest, None at the start."""
        ...

    def set_manifest(self, data: bytes) -> None:
        """Replace the manifest."""
        ...
