"""The rows that a rank keeps, by partition.

A rank over inserts, or over updates that only move rows up, keeps the Top-N of each partition in a map by
arrival number. A rank over retractions keeps all rows (all_rows.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.rank import RankSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class StoredRows:
    """m stored rows.

    Attributes:
        owners: int64[m], key of each row, as an index into the keys of the batch.
        numbers: int64[m], arrival number of each row.
        fields: The fields, m rows each.
    """

    owners: Index
    numbers: Index
    fields: tuple[pa.Array, ...]


@dataclass(frozen=True)
class Retractions:
    """r input rows that remove rows.

    Attributes:
        owners: int64[r], key of each row, as an index into the keys of the batch.
        fields: The fields, r rows each.
    """

    owners: Index
    fields: tuple[pa.Array, ...]

    def take(self, at: Index) -> Retractions:
        """Return the input rows at the given positions."""
        taken = pa.array(at)
        return Retractions(self.owners[at], tuple(column.take(taken) for column in self.fields))


class RankState(Protocol):
    """State of a rank."""

    def read(self, keys: Keys, ends: Index, taken: Retractions, now: int) -> StoredRows:
        """Return the stored rows of some keys that a batch may send or remove.

        Args:
            keys: The g keys.
            ends: int64[g], N of each key.
            taken: Rows of the batch that remove rows.
            now: Processing time in milliseconds.
        """
        ...

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        """Write rows to the state. Where `live` is False, delete the row instead."""
        ...


class TopRows:
    """State that holds the rows of the Top-N of each partition, by arrival number."""

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        types = [to_arrow(kind) for kind in spec.input_types]
        self._rows = backend.map(f"{spec.state_id}.top.v1", pa.int64(), types, spec.ttl)

    def read(self, keys: Keys, ends: Index, taken: Retractions, now: int) -> StoredRows:
        found = self._rows.entries(keys, np.arange(len(keys)), now)
        return StoredRows(found.owners, found.sub_keys.to_numpy(), found.columns)

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        self._rows.put(keys, rows.owners, pa.array(rows.numbers), rows.fields, now, live)
