"""Values that the DISTINCT calls over one argument have seen, and how a bundle changes them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import null_mask
from firesteel.runtime.aggregate.functions.declaration import Declared
from firesteel.runtime.aggregate.reduce.fields import contributed
from firesteel.runtime.aggregate.reduce.groups import Groups
from firesteel.runtime.aggregate.reduce.pair_counts import PairCounts
from firesteel.runtime.aggregate.scan.column import Column, Mask, from_arrow
from firesteel.runtime.aggregate.scan.distinct import counts_of, lists_of
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import MapState
from firesteel.types.sql import NUMERIC


class DistinctValues:
    """Values that the DISTINCT calls over one argument have seen, and their changes by one bundle.

    The values are the keys of one map view. `calls` has the index of each of these calls among all calls of
    the query.
    """

    def __init__(
        self, keys: Keys, added: PairCounts, state: MapState, spec: GroupAggregateSpec, calls: list[int],
        now: int,
    ) -> None:  # fmt: skip
        self.calls = calls
        self._keys, self._state, self._now = keys, state, now
        self._pairs = pairs = added.pairs
        self._kind = spec.calls[calls[0]].arg_types[0]
        found = state.get(keys, pairs.owners, pairs.values, now)
        width = added.counts.shape[1]
        self._before = counts_of(found.columns[0], width)
        self._counted = spec.input_retracts
        self._after = self._before + added.counts if self._counted else self._before | added.counts
        self._groups = Groups(pairs.owners, len(keys))

    def fields(self, aggregate: Declared, place: int, begin: dict[str, Column] | None) -> dict[str, Column]:
        """Return the fields of the call `calls[place]` after the bundle, by name, with one row for each key.

        A value that the call has not seen for the key before is added. A value is retracted if all its rows
        have been retracted after the bundle. NULL does not count.
        `begin` has the fields of each key before the bundle, None for the aggregate's initial values.
        """
        appears, goes = self._moves(place)
        sign = None if goes is None else np.where(appears, 1, -1)
        reach = appears if goes is None else appears | goes
        values = self._pairs.values
        if values.null_count:
            reach = reach & ~null_mask(values)
        argument = from_arrow(values, self._kind) if self._kind.root in NUMERIC else None
        return contributed(aggregate, self._groups, argument, reach, sign, begin)

    def _moves(self, place: int) -> tuple[Mask, Mask | None]:
        """Return two masks: for which (key, value) of the bundle the call `calls[place]` gains or loses it.

        The call gains a value if the key has no row with the value before the bundle, but has one after it.
        It loses a value in the opposite case. The second mask is None for insert-only input.
        """
        if not self._counted:
            new: Mask = (self._after & ~self._before)[:, 0] >> place & 1 == 1
            return new, None
        before, after = self._before[:, place], self._after[:, place]
        return (before <= 0) & (after > 0), (before > 0) & (after <= 0)

    def save(self, keep: Mask, gone: Index) -> None:
        """Write the map entries that the bundle has changed to the state.

        `keep` is True for each key whose entries are written. `gone` has the indices of keys of which all
        entries are deleted.
        """
        changed = (self._after != self._before).any(axis=1) & keep[self._pairs.owners]
        write = np.flatnonzero(changed)
        if len(write):
            after = self._after[write]
            values = self._pairs.values.take(pa.array(write))
            column = pa.array(after[:, 0]) if after.shape[1] == 1 else lists_of(after)
            live: Mask = np.any(after, axis=1)
            self._state.put(self._keys, self._pairs.owners[write], values, [column], self._now, live)
        if len(gone):
            self._state.clear(self._keys, gone, self._now)
