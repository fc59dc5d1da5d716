"""SinkUpsertMaterializer: turn changes into upserts by the sink's primary key.

It is used if the upsert key of the changes differs from the primary key. Flink: SinkUpsertMaterializer. The
state holds the rows of each primary key in arrival order. The sink has the last row of each key. The effect
of a change depends on all earlier changes of its key. So the changes of a key are processed one by one, but
on row numbers instead of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.runtime.aggregate.row_engine.row_loop import no_collections
from firesteel.runtime.columns.equal_rows import equal_keys, equal_rows
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import Clock, Operator, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.sink.retained_rows import RETRACTIONS, RetainedRows, Sent
from firesteel.runtime.spec.sink import SinkUpsertMaterializerSpec
from firesteel.runtime.state.base import Entries, StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk


class SinkUpsertMaterializer(RowOperator):
    """Operator that sends +I for a new key, +U if the last row of a key changes, and -D if no row is left.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
        clock: Processing time.
    """

    def __init__(self, spec: SinkUpsertMaterializerSpec, state: StateBackend | None, clock: Clock) -> None:
        self._spec = spec
        self._clock = clock
        types = [to_arrow(kind) for kind in spec.input_types]
        backend = state if state is not None else memory_backend()
        self._state = backend.ordered(f"{spec.state_id}.rows.v1", pa.int64(), types, spec.ttl)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the upserts that some changes cause, in the order of the changes."""
        if changes.num_rows == 0:
            return changes
        now = self._clock()
        given = [one_array(changes.column(field(i))) for i in range(len(self._spec.input_types))]
        keys = find_keys([given[i] for i in self._spec.primary_key], changes.num_rows)
        stored = self._state.entries(keys, np.arange(len(keys)), now)
        rows = [pa.concat_arrays([new, old]) for new, old in zip(given, stored.columns, strict=True)]
        by = [rows[i] for i in self._spec.upsert_key]
        codes = equal_keys(by, len(rows[0])) if by else equal_rows(rows, len(rows[0]))
        with no_collections():
            sent, left = self._run(keys, stored, one_chunk(changes.column(KIND)).to_pylist(), codes.tolist())
        self._store(keys, stored, left, rows, now)
        origins = np.flatnonzero(np.fromiter((each is not None for each in sent), np.bool_, len(sent)))
        out = [each for each in sent if each is not None]
        kinds = pa.array([int(kind) for kind, _ in out], pa.int8())
        contents = pa.array([row for _, row in out], pa.int64())
        return derived(changes, origins, kinds, [column.take(contents) for column in rows])

    def _run(
        self, keys: Keys, stored: Entries, kinds: Sequence[int], codes: Sequence[int]
    ) -> tuple[list[Sent | None], list[RetainedRows]]:
        """Return the change that each input change sends, None for no change, and the final rows of each key.

        A row's number is its position among the changes. Stored rows are numbered after the changes.
        `codes`: by row number, equal for equal rows.
        """
        sent: list[Sent | None] = [None] * keys.rows
        kept = [RetainedRows() for _ in range(len(keys))]
        numbers = stored.sub_keys.to_pylist()
        for at, (owner, number) in enumerate(zip(stored.owners.tolist(), numbers, strict=True), keys.rows):
            kept[owner].keep(number, at, codes[at])
        by_key = bool(self._spec.upsert_key)
        for row, owner in zip(keys.order.tolist(), keys.sorted_codes.tolist(), strict=True):
            if kinds[row] in RETRACTIONS:
                sent[row] = kept[owner].retract(row, codes[row])
            else:
                sent[row] = kept[owner].add(row, codes[row], by_key)
        return sent, kept

    def _store(
        self, keys: Keys, stored: Entries, left: list[RetainedRows], rows: Sequence[pa.Array], now: int
    ) -> None:
        """Write the final rows of each key (`left`) to the state, and delete stored rows that are gone.

        Without a time to live, only new and replaced rows are written. With a time to live, all rows of a
        changed key are written, so that the time of each starts again: in Flink, all rows of a key are one
        value, with one time.
        """
        before = [dict[int, int]() for _ in left]
        numbers = stored.sub_keys.to_pylist()
        for at, (owner, number) in enumerate(zip(stored.owners.tolist(), numbers, strict=True), keys.rows):
            before[owner][number] = at
        puts: list[tuple[int, int, int, bool]] = []
        for owner, (old, kept) in enumerate(zip(before, left, strict=True)):
            if not kept.changed:
                continue
            same = {} if self._spec.ttl else old
            puts += ((owner, n, row, True) for n, row in kept.rows.items() if same.get(n) != row)
            puts += ((owner, n, row, False) for n, row in old.items() if n not in kept.rows)
        if puts:
            owners, placed, at_rows, live = (np.array(column) for column in zip(*puts, strict=True))
            contents = [column.take(pa.array(at_rows)) for column in rows]
            self._state.put(keys, owners, pa.array(placed), contents, now, live)


def build(spec: SinkUpsertMaterializerSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return SinkUpsertMaterializer(spec, state, clock)


def code(spec: SinkUpsertMaterializerSpec) -> Iterator[str]:
    how = f", rows known by {', '.join(map(field, spec.upsert_key))}" if spec.upsert_key else ""
    yield f"-- SinkUpsertMaterializer by {', '.join(map(field, spec.primary_key))}{how}"
