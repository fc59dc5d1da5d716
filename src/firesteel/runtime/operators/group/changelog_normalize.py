"""ChangelogNormalize: turn upserts, or duplicate changes, into a full changelog.

Flink: ProcTimeDeduplicateKeepLastRowFunction (DeduplicateFunctionHelper.processLastRowOnChangelog). The state
is the last row of each key. Each row is compared with the row before it of the same key, for all rows of a
batch at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.operator import Clock, Operator, RowOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.calc.calc import Calc
from firesteel.runtime.spec.operators import ChangelogNormalizeSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk

Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]

_NONE = -1
"""Row number that stands for no row."""


class ChangelogNormalize(RowOperator):
    """Operator that sends +I for a new key, -U and +U for a changed row, and -D with the stored row.

    If a row equals the row that its key has already, nothing is sent. With a time to live, such a row is sent
    as an update. A row that fails the condition in `spec` counts as a deletion.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
        clock: Processing time.
    """

    def __init__(self, spec: ChangelogNormalizeSpec, state: StateBackend | None, clock: Clock) -> None:
        self._spec = spec
        self._clock = clock
        self._condition = None if spec.condition is None else Calc(spec.condition)
        types = [to_arrow(kind) for kind in spec.input_types]
        self._fields = [field(i) for i in range(len(types))]
        backend = state if state is not None else memory_backend()
        key_types = [types[i] for i in spec.keys]
        self._state = backend.value(f"{spec.state_id}.last-row.v1", key_types, types, spec.ttl)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the changes that some rows cause, in the order of the rows."""
        if changes.num_rows == 0:
            return changes
        now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)
        found = self._state.get(keys, now)
        # `rows` has the rows of the batch, and after them the stored row of each key.
        rows = pa.Table.from_arrays(
            [
                pa.chunked_array([*changes.column(name).chunks, stored])
                for name, stored in zip(self._fields, found.columns, strict=True)
            ],
            names=self._fields,
        ).combine_chunks()
        present = self._present(changes)
        before = self._before(keys, present, found.found)
        same = self._same(rows, keys, present, before)
        self._store(keys, rows, present, same, before, now)
        return self._output(changes, rows, present & ~same, before, same)

    def _present(self, changes: pa.Table) -> Flags:
        """Return which changes leave their key with a row, bool[n]: +I or +U that passes the condition."""
        kinds = one_chunk(changes.column(KIND)).to_numpy()
        present: Flags = (kinds == RowKind.INSERT) | (kinds == RowKind.UPDATE_AFTER)
        if self._condition is not None:
            place = changes.schema.get_field_index(SEQUENCE)
            numbered = changes.set_column(place, SEQUENCE, pa.array(np.arange(len(kinds))))
            passed = np.zeros(len(kinds), np.bool_)
            passed[self._condition.process(numbered).column(SEQUENCE).to_numpy()] = True
            present &= passed
        return present

    @staticmethod
    def _before(keys: Keys, present: Flags, found: Flags) -> Rows:
        """Return for each of n changes the number of the row that its key has just before the change.

        The row of change i has number i. The stored row of key i has number n + i. _NONE: the key has no row.
        """
        previous = np.empty(keys.rows, np.int64)
        previous[1:] = np.where(present[keys.order[:-1]], keys.order[:-1], _NONE)
        stored = keys.rows + np.arange(len(keys))
        previous[keys.starts] = np.where(found, stored, _NONE)
        before = np.empty(keys.rows, np.int64)
        before[keys.order] = previous
        return before

    def _same(self, rows: pa.Table, keys: Keys, present: Flags, before: Rows) -> Flags:
        """Return for each change whether its key already has an equal row. Always False with a TTL."""
        if self._spec.ttl:
            return np.zeros(keys.rows, np.bool_)
        same: Flags = present & (before != _NONE)
        at = np.flatnonzero(same)
        new, old = rows.take(pa.array(at)), rows.take(pa.array(before[at]))
        for i in range(rows.num_columns):
            same[at] &= identical(one_chunk(new.column(i)), one_chunk(old.column(i)))
        return same

    def _store(self, keys: Keys, rows: pa.Table, present: Flags, same: Flags, before: Rows, now: int) -> None:
        """Write the last row of each key of the batch, if it has changed."""
        last = keys.order[keys.starts + keys.counts - 1]
        live = present[last]
        another = np.logical_or.reduceat((present & ~same)[keys.order], keys.starts)
        had = before[keys.order[keys.starts]] != _NONE
        owners = np.flatnonzero(np.where(live, another, had))
        if len(owners):
            taken = rows.take(pa.array(last[owners]))
            columns = [one_chunk(column) for column in taken.columns]
            self._state.put(keys, owners, columns, now, live[owners])

    def _output(self, changes: pa.Table, rows: pa.Table, came: Flags, before: Rows, same: Flags) -> pa.Table:
        had = before != _NONE
        gone = had & ~came & ~same
        update_before = had & came if self._spec.emit_update_before else np.zeros_like(had)
        origins = np.repeat(np.arange(len(had)), update_before.astype(np.int64) + came + gone)
        old = gone[origins]
        old[:-1] |= origins[:-1] == origins[1:]
        kinds = np.where(had[origins], RowKind.UPDATE_AFTER, RowKind.INSERT).astype(np.int8)
        kinds[old] = RowKind.UPDATE_BEFORE
        kinds[gone[origins]] = RowKind.DELETE
        taken = rows.take(pa.array(np.where(old, before[origins], origins)))
        return derived(changes, origins, pa.array(kinds), taken.columns)


def identical(new: pa.Array, old: pa.Array) -> Flags:
    """Return row by row whether two columns are equal, bool[n].

    As in Flink (BinaryRowData.equals), values are compared by their bytes: NULL equals NULL, NaN equals NaN,
    and 0.0 differs from -0.0.
    """
    if pa.types.is_nested(new.type):
        pairs = zip(map(repr, new.to_pylist()), map(repr, old.to_pylist()), strict=True)
        return np.fromiter((one == other for one, other in pairs), np.bool_, len(new))
    compared = _floats(new, old) if pa.types.is_floating(new.type) else pc.equal(new, old)
    known = pc.fill_null(compared, False)
    result: Flags = pc.or_(known, pc.and_(new.is_null(), old.is_null())).to_numpy(zero_copy_only=False)
    return result


def _floats(new: pa.Array, old: pa.Array) -> pa.BooleanArray:
    bits = pa.int64() if new.type == pa.float64() else pa.int32()
    not_a_number = pc.and_(pc.is_nan(new), pc.is_nan(old))
    return pc.or_(pc.equal(new.view(bits), old.view(bits)), not_a_number)


class MiniBatchNormalize:
    """ChangelogNormalize in bundles: only the last row of each key in a bundle counts.

    It is a BundleFunction (map_bundle.py). Flink: ProcTimeMiniBatchDeduplicateKeepLastRowFunction.
    """

    def __init__(self, spec: ChangelogNormalizeSpec, normalize: ChangelogNormalize) -> None:
        self._keys = spec.keys
        self._normalize = normalize

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the changes that the last rows of the keys cause."""
        keys = find_keys([changes.column(field(i)) for i in self._keys], changes.num_rows)
        last = np.sort(keys.order[keys.starts + keys.counts - 1])
        return self._normalize.process(changes.take(pa.array(last)))


def build(spec: ChangelogNormalizeSpec, state: StateBackend | None, clock: Clock) -> Operator:
    normalize = ChangelogNormalize(spec, state, clock)
    if not spec.bundle:
        return normalize
    from firesteel.runtime.operators.group.map_bundle import MapBundle

    return MapBundle(MiniBatchNormalize(spec, normalize), spec.bundle)


def code(spec: ChangelogNormalizeSpec) -> Iterator[str]:
    how = f", in bundles of {spec.bundle} rows" if spec.bundle else ""
    yield f"-- ChangelogNormalize by {', '.join(map(field, spec.keys))}{how}"
