"""INSERT ... ON CONFLICT DO ERROR and DO NOTHING: one row for each primary key at every watermark.

Flink: WatermarkCompactingSinkMaterializer after WatermarkTimestampAssigner. The time of a change is the
watermark when it came. So each higher watermark processes all changes before it. A row that is added and
removed again disappears. After that, at most one row of a key may be left. If several are left, DO ERROR
fails the job. DO NOTHING keeps the row that the sink has, or the first one if it has none.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as data_field
from datetime import date, datetime, time
from itertools import groupby

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.errors import JobError
from firesteel.runtime.aggregate.row_engine.row_loop import no_collections
from firesteel.runtime.columns.equal_rows import equal_keys, equal_rows
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Clock, Operator, WatermarkedBatch
from firesteel.runtime.operators.sink.retained_rows import RETRACTIONS, RetainedRows
from firesteel.runtime.operators.window.fired import changes
from firesteel.runtime.operators.window.waits_for_watermarks import WaitsForWatermarks
from firesteel.runtime.spec.sink import WatermarkCompactingSinkMaterializerSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import one_chunk

Index = NDArray[np.int64]
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Due:
    """n changes in arrival order.

    Attributes:
        kinds: int8[n], row kinds.
        columns: Fields, n rows each.
        watermarks: int64[n], index of the first watermark of the message that passes each change. The count
            of these watermarks if none does.
    """

    kinds: pa.Array
    columns: tuple[pa.Array, ...]
    watermarks: Index

    def take(self, at: Index) -> Due:
        index = pa.array(at)
        return Due(
            self.kinds.take(index), tuple(each.take(index) for each in self.columns), self.watermarks[at]
        )


@dataclass
class _Sent:
    """Changes to send.

    Attributes:
        kinds: Row kinds.
        rows: Index of the row that has the content of each change.
        watermarks: Index of the watermark that causes each change.
        turns: For each change to send, the index of the first input change of its key that its watermark
            processes. The changes of one watermark are sent in ascending order of this index.
    """

    kinds: list[int] = data_field(default_factory=list)
    rows: list[int] = data_field(default_factory=list)
    watermarks: list[int] = data_field(default_factory=list)
    turns: list[int] = data_field(default_factory=list)


class WatermarkCompactingSinkMaterializer(WaitsForWatermarks):
    """Operator that sends one row for each key at watermarks.

    Args:
        spec: Settings.
        state: State of the operator. None keeps it in this process.
        clock: Processing time.
    """

    def __init__(
        self, spec: WatermarkCompactingSinkMaterializerSpec, state: StateBackend | None, clock: Clock
    ) -> None:
        backend, name = state if state is not None else memory_backend(), spec.state_id
        types = [to_arrow(kind) for kind in spec.input_types]
        super().__init__(backend, types, f"{name}.time.v1", f"{name}.came.v1")
        self._spec, self._clock = spec, clock
        self._waiting = backend.times(f"{name}.waiting.v1", [], [pa.int8(), *types])
        key_types = [types[i] for i in spec.primary_key]
        self._current = backend.value(f"{name}.current.v1", key_types, types, spec.ttl)

    def take(self, message: WatermarkedBatch) -> pa.Table:
        due = self._due(message)
        fired = due.take(np.flatnonzero(due.watermarks < len(message.times)))
        self._wait(due.take(np.flatnonzero(due.watermarks == len(message.times))))
        self._time.advance(int(message.times.max(initial=self._time.now)))
        keys = find_keys([fired.columns[i] for i in self._spec.primary_key], len(fired.watermarks))
        now = self._clock()
        current = self._current.get(keys, now)
        rows = [pa.concat_arrays([new, old]) for new, old in zip(fired.columns, current.columns, strict=True)]
        with no_collections():
            sent, left = _Keys(self._spec, keys, fired, rows).run(current.found)
        self._keep(keys, current.found, left, rows, now)
        out = np.lexsort((np.array(sent.turns, np.int64), np.array(sent.watermarks, np.int64)))
        contents = pa.array(np.array(sent.rows, np.int64)[out])
        kinds = pa.array(np.array(sent.kinds, np.int8)[out])
        sequences = message.sequences[np.array(sent.watermarks, np.int64)[out]]
        return changes(sequences, message.sub_sequence, kinds, [column.take(contents) for column in rows])

    # --- state ---------------------------------------------------------------------------------------
    def _due(self, message: WatermarkedBatch) -> Due:
        """Return the changes of a message, preceded by the waiting changes if a watermark passes them."""
        reached = np.maximum.accumulate(np.concatenate([[self._time.now], message.times]))
        behind = np.searchsorted(message.at, np.arange(message.table.num_rows), side="right")
        watermarks = np.searchsorted(reached[1:], reached[behind], side="right")
        columns = [one_array(message.table.column(field(i))) for i in range(len(self._types))]
        new = Due(one_chunk(message.table.column(KIND)), tuple(columns), watermarks)
        if reached[-1] == self._time.now:
            return new
        old = self._waiting.take_until(MAX_WATERMARK)
        first = int(np.searchsorted(reached[1:], self._time.now, side="right"))
        pairs = zip((old.columns[0], *old.columns[1:]), (new.kinds, *new.columns), strict=True)
        kinds, *fields = (pa.concat_arrays([one, other]) for one, other in pairs)
        return Due(kinds, tuple(fields), np.concatenate([np.full(len(old.times), first), watermarks]))

    def _wait(self, due: Due) -> None:
        count = len(due.watermarks)
        if count:
            columns = [due.kinds, *due.columns]
            self._waiting.put(find_keys([], count), np.zeros(count, np.int64), self.arrivals(count), columns)

    def _keep(
        self, keys: Keys, found: NDArray[np.bool_], left: list[int | None], rows: Sequence[pa.Array], now: int
    ) -> None:
        """Store the row that the sink now has for each key, if it has changed.

        `left`: for each key the index of this row in `rows`, None for no row. `found`: for each key whether
        the sink had a row before. `rows`: the rows of the changes, then for each key the row that the sink
        had before (NULL for none).
        """
        live = np.array([row is not None for row in left], np.bool_)
        at = np.array([-1 if row is None else row for row in left], np.int64)
        stored = np.where(found, keys.rows + np.arange(len(keys)), -1)
        owners = np.flatnonzero(at != stored)
        if len(owners):
            contents = pa.array(np.maximum(at[owners], 0))
            self._current.put(keys, owners, [column.take(contents) for column in rows], now, live[owners])


class _Keys:
    """Changes that watermarks have passed, processed key by key."""

    def __init__(
        self, spec: WatermarkCompactingSinkMaterializerSpec, keys: Keys, due: Due, rows: Sequence[pa.Array]
    ) -> None:
        self._spec, self._keys = spec, keys
        self._kinds, self._watermarks = due.kinds.to_pylist(), due.watermarks.tolist()
        self._whole = equal_rows(rows, len(rows[0])).tolist()
        by = [rows[i] for i in spec.upsert_key]
        self._codes = equal_keys(by, len(rows[0])).tolist() if by else self._whole
        self._conflicts: list[tuple[int, int, int]] = []
        """Keys with several rows at a watermark, as tuples of three numbers: the watermark, the first of the
        key's changes that this watermark processes, and the key."""

    def run(self, found: NDArray[np.bool_]) -> tuple[_Sent, list[int | None]]:
        """Return the changes to send, and the index of the row that the sink then has for each key.

        The index is None for a key without a row.

        Args:
            found: bool[g], whether each key has a row that was sent before.

        Raises:
            JobError: A key has several rows at a watermark, and `keep_first` is False. The error names the
                key for which this happens at the earliest watermark.
        """
        keys, sent, left = self._keys, _Sent(), list[int | None]()
        order = keys.order.tolist()
        for owner, (start, count) in enumerate(zip(keys.starts.tolist(), keys.counts.tolist(), strict=True)):
            current = keys.rows + owner if found[owner] else None
            for watermark, turn in groupby(order[start : start + count], self._watermarks.__getitem__):
                at = list(turn)
                current = self._turn(at, current, owner, watermark, sent)
            left.append(current)
        if self._conflicts and not self._spec.keep_first:
            raise JobError(self._violation(min(self._conflicts)[2]))
        return sent, left

    def _turn(self, at: list[int], before: int | None, owner: int, watermark: int, sent: _Sent) -> int | None:
        """Process the changes of a key that one watermark passes. Return the row that the sink then has.

        `at`: indices of the changes. `before`: index of the row that the sink had. `watermark` and `owner`:
        numbers of the watermark and of the key. `sent`: receives the change to send, if there is one. The
        result is an index, too. `before` and the result are None if the sink has no row of the key.
        """
        rows = self._applied(self._without_pairs(at), before)
        if len(rows) > 1:
            self._conflicts.append((watermark, at[0], owner))
        if before is None:
            kind, after = RowKind.INSERT, rows[0] if rows else None
        elif not rows:
            kind, after = RowKind.DELETE, None
        else:
            kind, after = RowKind.UPDATE_AFTER, rows[0] if len(rows) == 1 else before
        if after != before and (before is None or after is None or self._whole[after] != self._whole[before]):
            sent.kinds.append(kind)
            sent.rows.append(before if after is None else after)  # type: ignore[arg-type]
            sent.watermarks.append(watermark)
            sent.turns.append(at[0])
            return after
        return before

    def _without_pairs(self, at: list[int]) -> list[int]:
        """Return the changes `at`, without pairs of an addition and a retraction of the same content."""
        kept: dict[int, None] = {}
        open_ = defaultdict[int, deque[int]](deque)
        for row in at:
            same = open_[self._whole[row]]
            if same and self._adds(same[0]) != self._adds(row):
                del kept[same.popleft()]
            else:
                kept[row] = None
                same.append(row)
        return list(kept)

    def _applied(self, at: list[int], before: int | None) -> list[int]:
        """Return the rows of a key after the changes `at`, oldest first. All are given by index.

        `before`: row of the key before these changes, None for no row.
        """
        rows = RetainedRows()
        if before is not None:
            rows.keep(0, before, self._codes[before])
        for row in at:
            if self._adds(row):
                rows.add(row, self._codes[row], by_key=bool(self._spec.upsert_key))
            else:
                rows.retract(row, self._codes[row])
        return list(rows.rows.values())

    def _adds(self, row: int) -> bool:
        return self._kinds[row] not in RETRACTIONS

    def _violation(self, owner: int) -> str:
        values = [_internal(column[owner].as_py()) for column in self._keys.columns]
        key = ", ".join(f"{name}={value}" for name, value in zip(self._spec.names, values, strict=True))
        return (
            "Primary key constraint violation: multiple distinct records with the same primary key detected. "
            f"Conflicting key: [{key}]. Use ON CONFLICT DO NOTHING to keep the first record."
        )


def _internal(value: object) -> object:
    """Return a value as Flink's error shows it: a DATE as days, a TIME as milliseconds."""
    if isinstance(value, datetime):
        text = value.replace(tzinfo=None).isoformat()
        return text.removesuffix(":00") if value.second == 0 and value.microsecond == 0 else text
    if isinstance(value, date):
        return (value - date(1970, 1, 1)).days
    if isinstance(value, time):
        return ((value.hour * 60 + value.minute) * 60 + value.second) * 1000 + value.microsecond // 1000
    return str(value).lower() if isinstance(value, bool) else value


def build(
    spec: WatermarkCompactingSinkMaterializerSpec, state: StateBackend | None, clock: Clock
) -> Operator:
    return WatermarkCompactingSinkMaterializer(spec, state, clock)


def code(spec: WatermarkCompactingSinkMaterializerSpec) -> Iterator[str]:
    what = "NOTHING" if spec.keep_first else "ERROR"
    yield f"-- WatermarkCompactingSinkMaterializer by {', '.join(map(field, spec.primary_key))}, {what}"
