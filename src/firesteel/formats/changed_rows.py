"""Decoded rows to a changes table: an UPDATE's row before it stands before it, in columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Indices


@dataclass(frozen=True)
class Pool:
    """One field: its values, and for each row the place of its value among them, and of the one before an
    UPDATE; -1 for NULL. The latter counts where the row is an UPDATE's."""

    values: pa.Array
    now: Indices
    before: Indices

    def of(self, rows: Indices) -> Pool:
        """The same of some of the rows."""
        return self if len(rows) == len(self.now) else Pool(self.values, self.now[rows], self.before[rows])


def changes(
    schema: pa.Schema, kinds: npt.NDArray[np.int8], pools: list[Pool], messages: Indices
) -> tuple[pa.Table, Indices]:
    """The changes, and the message of each. kinds: of the rows, an UPDATE is +U."""
    updates = kinds == RowKind.UPDATE_AFTER
    if not updates.any():
        columns = [pa.array(kinds), *(_taken(pool.values, pool.now) for pool in pools)]
        return pa.Table.from_arrays(columns, schema=schema), messages
    copies = 1 + updates.astype(np.int64)
    rows = np.repeat(np.arange(len(kinds)), copies)
    before = np.cumsum(copies)[updates] - 2
    out = kinds[rows]
    out[before] = RowKind.UPDATE_BEFORE
    columns = [pa.array(out)]
    for pool in pools:
        places = pool.now[rows]
        places[before] = pool.before[updates]
        columns.append(_taken(pool.values, places))
    return pa.Table.from_arrays(columns, schema=schema), messages[rows]


def _taken(values: pa.Array, places: Indices) -> pa.Array:
    if len(places) == len(values) and (places == np.arange(len(places))).all():
        return values
    missing = places < 0
    return values.take(pa.array(places, mask=missing) if missing.any() else pa.array(places))
