"""Contracts of keyed state, read and written as columns for a whole batch.

- `ValueState`: one row for each key. For accumulators.
- `MapState`: rows by key and sub-key, hashed. For the values of DISTINCT and the rows of a join.
- `OrderedMapState`: rows by key and sub-key, sorted. For MIN and MAX under retraction, Top-N, OVER, versions.
- `TimeState`: rows by time and key. For timers and window ends.
- `SlicedState`: rows by slice of time and key. For rows that are kept for some time.

The first two are Flink's. A sub-key of several columns is a struct.

Each call names its keys by `Keys` (runtime/columns/keys.py): the distinct keys of a batch, sorted by hash. An
`owners` array holds indices into it. Times are milliseconds, and `now` is the processing time of the batch.

With a time to live, an entry written at t expires when `now >= t + ttl`. Reading does not refresh it (Flink:
OnCreateAndWrite, NeverReturnExpired).

Example:
    Count the rows of each key:

    state = backend.value("count.v1", key_types=[pa.int64()], types=[pa.int64()])
    keys = find_keys([table.column("f0")], table.num_rows)
    found = state.get(keys, now)
    counts = pc.add(pc.fill_null(found.columns[0], 0), pa.array(keys.counts))
    state.put(keys, np.arange(len(keys)), [counts], now)
    backend.commit()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.kernels.column_hashes import Words
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.order_codes import SortOrder


@dataclass(frozen=True)
class Found:
    """Result of a look-up of m entries.

    Attributes:
        found: bool[m], whether each entry exists.
        columns: m rows each, in the order of the request. NULL if the entry does not exist.
    """

    found: NDArray[np.bool_]
    columns: tuple[pa.Array, ...]


@dataclass(frozen=True)
class Entries:
    """Live map entries of some keys, sorted by owner.

    Attributes:
        owners: int64[m], non-decreasing indices into the `Keys` of the request.
        sub_keys: m sub-keys.
        columns: m rows each.
    """

    owners: NDArray[np.int64]
    sub_keys: pa.Array
    columns: tuple[pa.Array, ...]


class ValueState(Protocol):
    """State with one row of columns for each key."""

    def get(self, keys: Keys, now: int) -> Found:
        """Return the rows of all keys, in the order of `keys`."""
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], columns: Sequence[pa.Array], now: int,
        live: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """Write the rows of some keys.

        Args:
            keys: Keys of the batch.
            owners: int64[m], ascending and distinct indices into `keys`.
            columns: m rows each.
            now: Processing time in milliseconds.
            live: bool[m], False deletes the row. None writes all rows.
        """
        ...


class MapState(Protocol):
    """State with rows of columns by key and sub-key.

    Sub-keys are compared in binary form. NULL is a valid sub-key, except in an ordered map.
    """

    def get(
        self, keys: Keys, owners: NDArray[np.int64], sub_keys: pa.Array, now: int, words: Words | None = None
    ) -> Found:
        """Look up m pairs of key (an index into `keys`) and sub-key, in any order.

        `words`: `value_words(sub_keys)`, two 64-bit numbers for each sub-key. None: they are computed.
        """
        ...

    def entries(self, keys: Keys, owners: NDArray[np.int64], now: int) -> Entries:
        """Return all entries of some keys. `owners`: ascending and distinct indices into `keys`."""
        ...

    def held(self) -> int:
        """Return an upper bound of the number of entries of all keys, without reading any entry."""
        ...

    def entry_bytes(self) -> int:
        """Return the mean number of bytes of an entry in memory, at least 1."""
        ...

    def sizes(self, keys: Keys, owners: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return an upper bound of the number of entries of each selected key, int64[m].

        Deleted and replaced entries count until a merge. `owners`: ascending, distinct indices into `keys`.
        """
        ...

    def part(self, keys: Keys, owner: int, part: int, parts: int, now: int) -> Entries:
        """Return one of several parts of the entries of one key.

        The hash of a sub-key decides its part, so all parts have about the same size. All parts, one after
        the other, have the order of `entries`.

        Args:
            keys: Keys of the batch.
            owner: Index into `keys`.
            part: Number of the part, from 0.
            parts: Number of parts.
            now: Processing time in milliseconds.
        """
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], sub_keys: pa.Array, columns: Sequence[pa.Array],
        now: int, live: NDArray[np.bool_] | None = None, words: Words | None = None,
    ) -> None:  # fmt: skip
        """Write m distinct pairs of key and sub-key, in any order.

        Args:
            keys: Keys of the batch.
            owners: int64[m], indices into `keys`.
            sub_keys: m sub-keys.
            columns: m rows each.
            now: Processing time in milliseconds.
            live: bool[m], False deletes the entry. None writes all entries.
            words: `value_words(sub_keys)`, two 64-bit numbers for each sub-key. None: they are computed.
        """
        ...

    def clear(self, keys: Keys, owners: NDArray[np.int64], now: int) -> None:
        """Delete all entries of some keys. `owners`: ascending and distinct indices into `keys`."""
        ...


class OrderedMapState(MapState, Protocol):
    """Map state whose entries are sorted by sub-key (order_codes.py defines the order).

    The cost of reading at one end depends on the number of entries requested, not on the number that a key
    has. A sub-key is not NULL, but fields of a struct may be. `entries` are sorted by owner and sub-key.
    """

    def first(
        self, keys: Keys, owners: NDArray[np.int64], counts: NDArray[np.int64], now: int,
        start: pa.Array | None = None,
    ) -> Entries:  # fmt: skip
        """Return the first entries of some keys, ascending by owner and sub-key.

        Deleted entries at the front cost as much as live ones, until a merge drops them. To skip them, pass
        `start`.

        Args:
            keys: Keys of the batch.
            owners: int64[m], ascending and distinct indices into `keys`.
            counts: int64[m], maximum number of entries of each owner.
            now: Processing time in milliseconds.
            start: m sub-keys, one for each of `owners`, where reading begins. None begins at the first one.
        """
        ...

    def last(
        self, keys: Keys, owners: NDArray[np.int64], counts: NDArray[np.int64], now: int,
        start: pa.Array | None = None,
    ) -> Entries:  # fmt: skip
        """Return the last entries of some keys, ascending by owner and descending by sub-key.

        Args:
            keys: Keys of the batch.
            owners: int64[m], ascending and distinct indices into `keys`.
            counts: int64[m], maximum number of entries of each owner.
            now: Processing time in milliseconds.
            start: m sub-keys, one for each of `owners`, where reading begins. None begins at the last one.
        """
        ...

    def range(
        self, keys: Keys, owners: NDArray[np.int64], low: pa.Array | None, high: pa.Array | None, now: int
    ) -> Entries:
        """Return the entries with low <= sub-key < high, ascending by owner and sub-key.

        Args:
            keys: Keys of the batch.
            owners: int64[m], ascending and distinct indices into `keys`.
            low: m sub-keys, None for no lower bound.
            high: m sub-keys, None for no upper bound.
            now: Processing time in milliseconds.
        """
        ...

    def floor(self, keys: Keys, owners: NDArray[np.int64], sub_keys: pa.Array, now: int) -> Found:
        """Find the entry with the greatest sub-key at or below each of m pairs of key and sub-key.

        The pairs may come in any order. `owners`: int64[m], indices into `keys`.

        Returns:
            For each pair the entry, if it exists. Its columns are the sub-key, then the values.
        """
        ...


@dataclass(frozen=True)
class Due:
    """Entries of a time state, ascending by time. A key occurs once for each of its times.

    Attributes:
        times: int64[m].
        keys: Columns of the keys, m rows each.
        columns: Columns of the values, m rows each.
    """

    times: NDArray[np.int64]
    keys: tuple[pa.Array, ...]
    columns: tuple[pa.Array, ...]


class TimeState(Protocol):
    """State with rows of columns by time and key. It has no time to live.

    A time is any int64, usually milliseconds.
    """

    def get(self, keys: Keys, owners: NDArray[np.int64], times: NDArray[np.int64]) -> Found:
        """Look up m pairs of time and key, in any order. `owners`: int64[m], indices into `keys`."""
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], times: NDArray[np.int64],
        columns: Sequence[pa.Array] = (), live: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """Write m distinct pairs of time and key, in any order. A pair that exists is overwritten.

        Args:
            keys: Keys of the batch.
            owners: int64[m], indices into `keys`.
            times: int64[m].
            columns: m rows each.
            live: bool[m], False deletes the entry. None writes all entries.
        """
        ...

    def take_until(self, time: int) -> Due:
        """Remove and return all entries up to and including a time.

        Entries with later times do not add to the cost.
        """
        ...

    def read_until(self, time: int) -> Due:
        """Return all entries up to and including a time, without removing them."""
        ...

    def drop_until(self, time: int) -> None:
        """Remove all entries up to and including a time, without reading them."""
        ...

    def next_time(self) -> int | None:
        """Return the smallest time, None if there is no entry."""
        ...


class SlicedState(Protocol):
    """State with rows by slice of time, key and number. A slice is a stretch of time of fixed length.

    The caller numbers the rows: two rows of one key and slice have different numbers. The rows of a key and
    slice are read together, and all slices before a time are dropped at once.
    """

    def slices_of(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the slice of each time, int64[m]."""
        ...

    def put(
        self, keys: Keys, owners: NDArray[np.int64], times: NDArray[np.int64],
        numbers: NDArray[np.int64], columns: Sequence[pa.Array],
    ) -> None:  # fmt: skip
        """Write m rows, in any order.

        Args:
            keys: Keys of the batch.
            owners: int64[m], indices into `keys`.
            times: int64[m].
            numbers: int64[m], not below 0, distinct within a key and slice. An existing row is overwritten.
            columns: m rows each.
        """
        ...

    def get(
        self, keys: Keys, owners: NDArray[np.int64], times: NDArray[np.int64], numbers: NDArray[np.int64]
    ) -> Found:
        """Look up m rows in any order, each by key (`owners[i]`), slice of `times[i]` and `numbers[i]`."""
        ...

    def entries(self, keys: Keys, owners: NDArray[np.int64], slices: NDArray[np.int64]) -> Entries:
        """Return all rows of m distinct pairs of key and slice, in any order.

        `owners`: int64[m], indices into `keys`. `slices`: int64[m], numbers of slices (`slices_of`).

        Returns:
            The rows, with the position of their pair as `owners`, and their numbers as `sub_keys`.
        """
        ...

    def drop_before(self, time: int) -> None:
        """Remove all slices that lie before the slice of a time, without reading them."""
        ...


class StateBackend(Protocol):
    """State of all operators of a task: in one key group, or in all key groups if the task owns them all.

    A name identifies a state: a second call with the same arguments returns the same state. So no two
    operators may use the same name.
    """

    def value(
        self, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType], ttl: int = 0
    ) -> ValueState:
        """Return the value state with this name.

        Args:
            name: Name with a version, such as `count.v1`.
            key_types: Types of the key columns.
            types: Types of the value columns.
            ttl: Time to live in milliseconds, 0 for no expiry.
        """
        ...

    def map(
        self, name: str, sub_type: pa.DataType, types: Sequence[pa.DataType], ttl: int = 0
    ) -> MapState:  # fmt: skip
        """Return the map state with this name."""
        ...

    def ordered(
        self, name: str, sub_type: pa.DataType, types: Sequence[pa.DataType], ttl: int = 0,
        orders: Sequence[SortOrder] = (),
    ) -> OrderedMapState:  # fmt: skip
        """Return the ordered map state with this name.

        Args:
            name: Name of the state.
            sub_type: Type of the sub-keys.
            types: Types of the value columns.
            ttl: Time to live in milliseconds, 0 for no expiry.
            orders: Sort order of each field, if `sub_type` is a struct. () for any other type: its sub-keys
                ascend. To read them in descending order, use `last`.

        Raises:
            InternalError: The type has no order.
        """
        ...

    def times(
        self, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType] = ()
    ) -> TimeState:
        """Return the time state with this name."""
        ...

    def sliced(self, name: str, types: Sequence[pa.DataType], length: int) -> SlicedState:
        """Return the sliced state with this name.

        Args:
            name: Name of the state.
            types: Types of the value columns.
            length: Length of a slice in milliseconds. Lengths below 64 count as 64.
        """
        ...

    def commit(self) -> None:
        """Store new runs and the manifest. The commit of the host makes them durable."""
        ...
