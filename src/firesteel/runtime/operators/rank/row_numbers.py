"""Index of the arrival numbers of rows, by row.

If rows have a unique key, it is a map by that key. Else it is an ordered map by the hash of the row and its
number, since equal rows may be there several times.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import hash_columns
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.operators.rank.stored_rows import Index, Mask, Retractions, StoredRows
from firesteel.runtime.spec.rank import RankSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.arrow import to_arrow

_LEAST, _GREATEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class RowNumbers(Protocol):
    """Arrival numbers by row."""

    def find(self, keys: Keys, rows: Retractions, now: int) -> tuple[Index, Index]:
        """Find the arrival numbers of the stored rows that may be equal to the rows in `rows`.

        Returns:
            int64[p] and int64[p]: position in `rows`, and arrival number of a stored row that may be equal.
        """
        ...

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        """Write the arrival numbers of rows. Where `live` is False, delete the number of the row."""
        ...


class NumbersByKey:
    """Numbers of rows with a unique key.

    Args:
        spec: Settings of the rank.
        backend: State of the operator.
    """

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        self._key = spec.row_key
        self._names = [f"k{i}" for i in range(len(spec.row_key))]
        kinds = [to_arrow(spec.input_types[i]) for i in spec.row_key]
        sub_type = pa.struct(list(zip(self._names, kinds, strict=True)))
        self._numbers = backend.map(f"{spec.state_id}.numbers.v1", sub_type, [pa.int64()], spec.ttl)

    def find(self, keys: Keys, rows: Retractions, now: int) -> tuple[Index, Index]:
        found = self._numbers.get(keys, rows.owners, self._sub_keys(rows.fields), now)
        there = np.flatnonzero(found.found)
        return there, found.columns[0].take(pa.array(there)).to_numpy()

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        """Write the arrival numbers of rows. Where `live` is False, delete the number of the row.

        A removed row and an added row may have the same unique key. Then the number of the added row is kept.
        """
        same = find_keys([rows.fields[i] for i in self._key], len(live))
        comes = np.bincount(same.codes, live, len(same)) > 0
        at = np.flatnonzero(live | ~comes[same.codes])
        one = same.codes[at]
        at = at[np.unique(one, return_index=True)[1]]
        taken = pa.array(at)
        sub_keys = self._sub_keys(tuple(column.take(taken) for column in rows.fields))
        self._numbers.put(keys, rows.owners[at], sub_keys, [pa.array(rows.numbers[at])], now, live[at])

    def _sub_keys(self, fields: tuple[pa.Array, ...]) -> pa.StructArray:
        return pa.StructArray.from_arrays([fields[i] for i in self._key], names=self._names)


class NumbersByHash:
    """Numbers of rows that may have several copies.

    Args:
        spec: Settings of the rank.
        backend: State of the operator.
    """

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        sub_type = pa.struct([("hash", pa.int64()), ("number", pa.int64())])
        self._numbers = backend.ordered(
            f"{spec.state_id}.hashes.v1", sub_type, [], spec.ttl, (SortOrder(), SortOrder())
        )

    def find(self, keys: Keys, rows: Retractions, now: int) -> tuple[Index, Index]:
        hashes = _hashes(rows.fields, len(rows.owners))
        order = stable_order_by(rows.owners, hashes)
        new = np.ones(len(order), np.bool_)
        new[1:] = np.diff(rows.owners[order]).astype(np.bool_) | np.diff(hashes[order]).astype(np.bool_)
        which = order[new]
        low, high = (_sub_keys(hashes[which], np.full(len(which), n)) for n in (_LEAST, _GREATEST))
        found = self._numbers.range(keys, rows.owners[which], low, high, now)
        if not len(found.owners):
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        theirs = found.sub_keys.field("hash").to_numpy()
        both = [np.concatenate([rows.owners[which], found.owners]), np.concatenate([hashes[which], theirs])]
        same = find_keys([pa.array(column) for column in both], len(both[0]))
        row_of = np.empty(len(same), np.int64)
        row_of[same.codes[: len(which)]] = which
        return row_of[same.codes[len(which) :]], found.sub_keys.field("number").to_numpy()

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        sub_keys = _sub_keys(_hashes(rows.fields, len(live)), rows.numbers)
        self._numbers.put(keys, rows.owners, sub_keys, [], now, live)


def row_numbers(spec: RankSpec, backend: StateBackend) -> RowNumbers:
    """Return the index from rows to arrival numbers for a rank over retractions."""
    return NumbersByKey(spec, backend) if spec.row_key else NumbersByHash(spec, backend)


def _hashes(fields: tuple[pa.Array, ...], rows: int) -> Index:
    return hash_columns(list(fields), rows)[0].view(np.int64)


def _sub_keys(hashes: Index, numbers: Index) -> pa.StructArray:
    return pa.StructArray.from_arrays([pa.array(hashes), pa.array(numbers)], names=["hash", "number"])
