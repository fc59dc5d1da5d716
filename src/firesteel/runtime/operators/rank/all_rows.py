"""All rows of each partition, for a rank over retractions.

An ordered map holds them by sort key and arrival number. A batch reads the rows that it may send: the first
N + r rows of each partition, if it retracts r rows of the partition. A retracted row may lie behind these
rows. It is then found by its arrival number, which an index has for each row (row_numbers.py). A search by
sort key could find many rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.operators.rank.row_numbers import row_numbers
from firesteel.runtime.operators.rank.stored_rows import Index, Mask, Retractions, StoredRows
from firesteel.runtime.spec.rank import RankSpec
from firesteel.runtime.state.base import Entries, OrderedMapState, StateBackend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.runtime.state.sort_parts import dense_codes, sort_parts, without_minus_zero
from firesteel.types.arrow import to_arrow

_MOST = 1 << 40
"""Number that is greater than the number of rows of any partition."""


class AllRows:
    """All rows of each partition, by sort key and arrival number.

    Args:
        spec: Settings of the rank.
        backend: State of the operator.
    """

    def __init__(self, spec: RankSpec, backend: StateBackend) -> None:
        types = [to_arrow(kind) for kind in spec.input_types]
        self._spec = spec
        self._names = [*(f"k{i}" for i in range(len(spec.sort))), "number"]
        kinds = [*(types[i] for i in spec.sort), pa.int64()]
        sub_type = pa.struct(list(zip(self._names, kinds, strict=True)))
        self._rows: OrderedMapState = backend.ordered(
            f"{spec.state_id}.rows.v1", sub_type, types, spec.ttl, (*spec.orders, SortOrder())
        )
        self._numbers = row_numbers(spec, backend)

    def read(self, keys: Keys, ends: Index, taken: Retractions, now: int) -> StoredRows:
        """Return the rows of each key that the batch may send, and all rows that it removes.

        Args:
            keys: The g keys of the batch.
            ends: int64[g], N of the Top-N of each key.
            taken: Input rows that remove rows.
            now: Processing time in milliseconds.
        """
        asked = np.minimum(np.maximum(ends, 0), _MOST) + np.bincount(taken.owners, minlength=len(keys))
        found = self._stored(self._rows.first(keys, np.arange(len(keys)), asked, now))
        counts = np.bincount(found.owners, minlength=len(keys))
        more = (counts == asked) & (asked > 0)
        taken = taken.take(np.flatnonzero(more[taken.owners]))
        if not len(taken.owners):
            return found
        behind = self._behind(taken, found, np.cumsum(counts) - 1, more)
        if not len(behind.owners):
            return found
        return _joined(found, self._by_number(keys, behind, now))

    def write(self, keys: Keys, rows: StoredRows, now: int, live: Mask) -> None:
        sub_keys = self._sub_keys(rows.fields, rows.numbers)
        self._rows.put(keys, rows.owners, sub_keys, rows.fields, now, live)
        self._numbers.write(keys, rows, now, live)

    def _behind(self, taken: Retractions, found: StoredRows, lasts: Index, more: Mask) -> Retractions:
        """Return the retractions whose row may lie behind the rows that were read.

        The row may lie there if its sort key is not before that of the last row of its key in `found`.

        Args:
            taken: Retractions of the keys that `more` marks.
            found: The rows that were read, which are the first ones of each key.
            lasts: int64[g], position in `found` of the last row of each key.
            more: bool[g], whether as many rows of the key were found as were read at most, so that the state
                may have more.
        """
        ends, rows = np.flatnonzero(more), len(taken.owners)
        last_rows = pa.array(lasts[ends])
        columns = [
            pa.concat_arrays([mine, theirs.take(last_rows)])
            for mine, theirs in zip(self._sort_key(taken.fields), self._sort_key(found.fields), strict=True)
        ]
        codes = dense_codes(sort_parts(columns, self._spec.orders), rows + len(ends))
        last_codes = np.zeros(len(more), np.int64)
        last_codes[ends] = codes[rows:]
        return taken.take(np.flatnonzero(codes[:rows] >= last_codes[taken.owners]))

    def _by_number(self, keys: Keys, taken: Retractions, now: int) -> StoredRows:
        """Return the stored rows that some retractions may remove, found by their arrival numbers."""
        which, numbers = self._numbers.find(keys, taken, now)
        _, first = np.unique(numbers, return_index=True)
        numbers, some = numbers[first], taken.take(which[first])
        found = self._rows.get(keys, some.owners, self._sub_keys(some.fields, numbers), now)
        there = np.flatnonzero(found.found)
        at = pa.array(there)
        return StoredRows(some.owners[there], numbers[there], tuple(c.take(at) for c in found.columns))

    def _stored(self, found: Entries) -> StoredRows:
        numbers = found.sub_keys.field("number").to_numpy() if len(found.owners) else np.zeros(0, np.int64)
        return StoredRows(found.owners, numbers, found.columns)

    def _sort_key(self, fields: Sequence[pa.Array]) -> list[pa.Array]:
        return [without_minus_zero(fields[i]) for i in self._spec.sort]

    def _sub_keys(self, fields: Sequence[pa.Array], numbers: NDArray[np.int64]) -> pa.StructArray:
        return pa.StructArray.from_arrays([*self._sort_key(fields), pa.array(numbers)], names=self._names)


def _joined(first: StoredRows, more: StoredRows) -> StoredRows:
    """Return the rows of both arguments, each once: `more` may repeat rows of `first`."""
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
