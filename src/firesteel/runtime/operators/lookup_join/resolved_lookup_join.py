"""Lookup join that retracts what it has sent, even if the table has changed in the meantime.

Flink: KeyedLookupJoinWrapper, which stores one answer for all input rows with the same lookup key, and drops
it when the first of these rows is retracted. Here, each input row has its own answer until it is retracted.

Retractions are sent as DELETE, as in Flink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import Clock, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.lookup_join.answers import Answers, answers_of
from firesteel.runtime.operators.lookup_join.lookup import Index, Lookup
from firesteel.runtime.operators.lookup_join.lookup_join import NONE, LookupJoin, own_columns, with_alone
from firesteel.runtime.spec.lookup_join import ResolvedLookupJoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow


@dataclass(frozen=True)
class _Partners:
    """Rows of the looked-up table: those looked up now, by change, or the stored ones, by key.

    Attributes:
        owners: int64[m], ascending. For rows looked up now, the number of the change that each row belongs
            to. For stored rows, the number of the key.
        columns: Columns of the rows, m values each.
    """

    owners: Index
    columns: Sequence[pa.Array]

    def ranges(self, owners: Index) -> tuple[Index, Index]:
        """Return the position of the first row, and the number of rows, of each key or change in `owners`."""
        starts = np.searchsorted(self.owners, owners, side="left")
        return starts, np.searchsorted(self.owners, owners, side="right") - starts


class ResolvedLookupJoin(RowOperator):
    """Operator of a lookup join that stores the found rows of each input row.

    Args:
        spec: Settings.
        lookup: The table.
        state: State of the operator. None keeps the rows in this process.
        clock: Processing time.
    """

    def __init__(
        self, spec: ResolvedLookupJoinSpec, lookup: Lookup, state: StateBackend | None, clock: Clock
    ) -> None:
        backend = state if state is not None else memory_backend()
        self._spec = spec
        self._join = LookupJoin(spec.join, lookup)
        self._clock = clock
        keys = [to_arrow(spec.input_types[i]) for i in spec.keys]
        types = [to_arrow(kind) for kind in spec.join.types]
        self._counts = backend.value(f"{spec.state_id}.counts.v1", keys, [pa.int64()], spec.ttl)
        self._found = backend.ordered(f"{spec.state_id}.found.v1", pa.int64(), types, spec.ttl)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return each change joined with table rows: looked up now, or stored when its row first came."""
        if not changes.num_rows:
            return self._join.process(changes)
        now, own = self._clock(), own_columns(changes)
        keys = find_keys([own[i] for i in self._spec.keys], changes.num_rows)
        known = self._counts.get(keys, now)
        counts = known.columns[0].fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        kinds = one_array(changes.column(KIND)).to_numpy()
        adds = (kinds == RowKind.INSERT) | (kinds == RowKind.UPDATE_AFTER)
        answers = answers_of(keys, counts, adds, self._spec.replaces)
        kept = self._kept(keys, np.flatnonzero(counts > 0), now)
        asking = np.flatnonzero(answers.source == np.arange(len(adds)))
        at, places, rows = self._join.partners(changes, own, asking)
        index = pa.array(places)
        fresh = _Partners(at, [column.take(index) for column in rows])
        self._keep(keys, counts, answers, fresh, now)
        sent = np.where(adds, kinds, np.int8(RowKind.DELETE)).astype(np.int8)
        return self._results(changes, own, sent, answers, keys.codes, (fresh, kept))

    def _kept(self, keys: Keys, owners: Index, now: int) -> _Partners:
        entries = self._found.entries(keys, owners, now)
        return _Partners(entries.owners, entries.columns)

    def _results(
        self, changes: pa.Table, own: Sequence[pa.Array], kinds: NDArray[np.int8], answers: Answers,
        codes: Index, partners: tuple[_Partners, _Partners],
    ) -> pa.Table:  # fmt: skip
        """Return the changes joined with table rows, with the row kinds `kinds`.

        `codes`: number of each change's key. `partners`: the table rows that were looked up now, with the
        change that they belong to; the stored table rows, with the key that they belong to.
        """
        fresh, kept = partners
        columns = [pa.concat_arrays(pair) for pair in zip(fresh.columns, kept.columns, strict=True)]
        starts, sizes = fresh.ranges(answers.source)
        before, held = kept.ranges(codes)
        starts = np.where(answers.is_kept, len(fresh.owners) + before, starts)
        sizes = np.where(answers.is_kept, held, np.where(answers.source >= 0, sizes, 0))
        at = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
        places = starts[at] + np.arange(len(at)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        if self._spec.join.pads:
            at, places = with_alone(at, places, len(sizes))
        index, taken = pa.array(at), pa.array(places, mask=places == NONE)
        fields = [*(column.take(index) for column in own), *(column.take(taken) for column in columns)]
        return derived(changes, at, pa.array(kinds[at]), fields)

    def _keep(self, keys: Keys, counts: Index, answers: Answers, fresh: _Partners, now: int) -> None:
        """Store the new numbers of copies and new answers. Drop the answers of keys without copies.

        `counts`: int64[g], copies of each key before the batch. `fresh`: rows looked up now, by change.
        """
        changed = np.flatnonzero(answers.counts != counts)
        if len(changed):
            left = answers.counts[changed]
            self._counts.put(keys, changed, [pa.array(left)], now, left > 0)
        renewed = answers.last >= 0
        gone = np.flatnonzero((counts > 0) & (renewed | (answers.counts == 0)))
        if len(gone):
            self._found.clear(keys, gone, now)
        owners = np.flatnonzero(renewed)
        starts, sizes = fresh.ranges(answers.last[owners])
        if not sizes.sum():
            return
        owner = np.repeat(owners, sizes)
        number = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        index = pa.array(np.repeat(starts, sizes) + number)
        self._found.put(keys, owner, pa.array(number), [column.take(index) for column in fresh.columns], now)
