"""Keyed state as operators see it: columns by key, read and written for a whole batch at once.

Flink: `ValueState` (one accumulator row a key) and `MapState` (`MapView`: one row a key and sub-key).
Every call names its keys by `Keys` (runtime/keys.py): the distinct keys of a batch, sorted by hash; an
`owners` array holds indices into it. Times are milliseconds; `now` is the processing time of the batch.
With a time to live, an entry written at t is gone once `now >= t + ttl`; reading does not refresh it
(Flink: OnCreateAndWrite, NeverReturnExpired).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.keys import Keys


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
    """Rows of columns by key and sub-key. Sub-keys are equal in binary form; NULL is a sub-key."""

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


class StateBackend(Protocol):
    """The state of one operator in one key group (or in all, where one task owns them all).

    `value` and `map` may be called again with the same arguments and give the same state.
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
