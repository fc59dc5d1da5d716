"""The rows that a rank keeps, by partition.

A rank over inserts, or over updates that only move rows up, keeps the Top-N of each partition in a map by
arrival number. A rank over retractions keeps all rows in an ordered map by sort key and arrival number. A
batch reads as many of them as it can send.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from firesteel.runtime.state.base import Entries, OrderedMapState, StateBackend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.runtime.state.sort_parts import dense_codes, sort_parts, without_minus_zero
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]
_MOST = 1 << 40
"""More rows than a partition has."""


@dataclass(frozen=True)
class StoredRows:
    """m stored rows.

    Attributes:
        owners: int64[m], key of each row.
        numbers: int64[m], arrival number of each row.
        fields: The fields, m rows each.
    """

    owners: Index
    numbers: Index
    fields: tuple[pa.Array, ...]


@dataclass(frozen=True)
class Retractions:
    """r input rows that take rows away.

    Attributes:
        owners: int64[r], key of each.
        fields: The fields, r rows each.
    """

    owners: Index
    fields: tuple[pa.Array, ...]


class RankState(Protocol):
    """State of a rank."""

    def read(self, keys: Keys, ends: Index, taken: Retractions, now: int) -> StoredRows:
        """Return the stored rows of some keys that a batch may send or take away.

        Args:
            keys: The g keys.
            ends: int64[g], N of each key.
            taken: Rows of the batch that take rows away.
            now: Processing time in milliseconds.
        """
        ...

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        """Write rows, or delete those that are not `live`."""
        ...


class TopRows:
    """The Top-N of each partition, by arrival number."""

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        types = [to_arrow(kind) for kind in spec.input_types]
        self._rows = backend.map(f"{spec.state_id}.top.v1", pa.int64(), types, spec.ttl)

    def read(self, keys: Keys, ends: Index, taken: Retractions, now: int) -> StoredRows:
        found = self._rows.entries(keys, np.arange(len(keys)), now)
        return StoredRows(found.owners, found.sub_keys.to_numpy(), found.columns)

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        self._rows.put(keys, rows.owners, pa.array(rows.numbers), rows.fields, now, live)


class AllRows:
    """All rows of each partition, by sort key and arrival number."""

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        types = [to_arrow(kind) for kind in spec.input_types]
        self._spec = spec
        self._sort_types = [types[i] for i in spec.sort]
        names = [f"k{i}" for i in range(len(spec.sort))]
        self._sub_type = pa.struct([*zip(names, self._sort_types, strict=True), ("number", pa.int64())])
        self._rows: OrderedMapState = backend.ordered(
            f"{spec.state_id}.rows.v1", self._sub_type, types, spec.ttl, (*spec.orders, SortOrder())
        )

    def read(self, keys: Keys, ends: Index, taken: Retractions, now: int) -> StoredRows:
        """Return the first rows of each key: the Top-N, and one more for each row that is taken away.

        Rows that are taken away further behind are read by their sort keys.
        """
        asked = np.minimum(np.maximum(ends, 0), _MOST) + np.bincount(taken.owners, minlength=len(keys))
        found = _stored(self._rows.first(keys, np.arange(len(keys)), asked, now))
        counts = np.bincount(found.owners, minlength=len(keys))
        full = (counts == asked) & (asked > 0)
        at = np.flatnonzero(full[taken.owners])
        if not len(at):
            return found
        return self._with_taken(keys, found, np.cumsum(counts) - 1, full, _some(taken, at), now)

    def _with_taken(
        self, keys: Keys, found: StoredRows, lasts: Index, full: Mask, taken: Retractions, now: int
    ) -> StoredRows:
        """Add the rows that have the sort key of a retraction behind the rows that were read.

        Args:
            keys: The g keys.
            found: The first rows of each key.
            lasts: int64[g], position in `found` of the last row of each key.
            full: bool[g], whether there may be more rows.
            taken: Retractions of these keys.
            now: Processing time in milliseconds.
        """
        ends = np.flatnonzero(full)
        last_rows = pa.array(lasts[ends])
        columns = [
            pa.concat_arrays([mine, theirs.take(last_rows)])
            for mine, theirs in zip(self._sort_key(taken.fields), self._sort_key(found.fields), strict=True)
        ]
        rows = len(taken.owners)
        codes = dense_codes(sort_parts(columns, self._spec.orders), rows + len(ends))
        last_codes = np.full(len(keys), -1, np.int64)
        last_codes[ends] = codes[rows:]
        behind = np.flatnonzero(codes[:rows] >= last_codes[taken.owners])
        if not len(behind):
            return found
        owners, codes = taken.owners[behind], codes[behind]
        order = stable_order_by(owners, codes)
        new = (np.diff(owners[order], prepend=-1) != 0) | (np.diff(codes[order], prepend=-1) != 0)
        which = order[new]
        wanted = pa.array(behind[which])
        low, high = (
            self._sub_keys([column.take(wanted) for column in columns], np.full(len(which), number))
            for number in (np.iinfo(np.int64).min, np.iinfo(np.int64).max)
        )
        more = _stored(self._rows.range(keys, owners[which], low, high, now))
        return _joined(found, more)

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        sub_keys = self._sub_keys(self._sort_key(rows.fields), rows.numbers)
        self._rows.put(keys, rows.owners, sub_keys, rows.fields, now, live)

    def _sort_key(self, fields: Sequence[pa.Array]) -> list[pa.Array]:
        return [without_minus_zero(fields[i]) for i in self._spec.sort]

    def _sub_keys(self, columns: Sequence[pa.Array], numbers: Index) -> pa.StructArray:
        names = [each.name for each in self._sub_type]
        return pa.StructArray.from_arrays([*columns, pa.array(numbers)], names=names)


def rank_state(spec: RankSpec, backend: StateBackend) -> RankState:
    """Return the state of a rank."""
    return AllRows(spec, backend) if spec.strategy is RankStrategy.RETRACT else TopRows(spec, backend)


def _stored(found: Entries) -> StoredRows:
    numbers = found.sub_keys.field("number").to_numpy() if len(found.owners) else np.zeros(0, np.int64)
    return StoredRows(found.owners, numbers, found.columns)


def _some(rows: Retractions, at: Index) -> Retractions:
    taken = pa.array(at)
    return Retractions(rows.owners[at], tuple(column.take(taken) for column in rows.fields))


def _joined(first: StoredRows, more: StoredRows) -> StoredRows:
    """Return all rows once. Rows that share the sort key of the last row were read twice."""
    new = np.flatnonzero(~np.isin(more.numbers, first.numbers))
    taken = pa.array(new)
    return StoredRows(
        np.concatenate([first.owners, more.owners[new]]),
        np.concatenate([first.numbers, more.numbers[new]]),
        tuple(
            pa.concat_arrays([one, two.take(taken)])
            for one, two in zip(first.fields, more.fields, strict=True)
        ),
    )
