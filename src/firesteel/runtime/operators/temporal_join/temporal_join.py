"""Join each row of the left input with the version of the right input at the row's time, by row time.

Flink: TemporalRowTimeJoinOperator. A row waits until the watermarks of both inputs have passed its time. Then
it is joined with the last version of its key up to its time. After a version with the kind -D or -U, the key
has no version. A left change is sent with its own kind. A new version sends nothing.

Of a key's versions up to the watermark, only the last one is stored. A late row is never dropped: at the next
watermark, it is joined with the version of its time, if that is still stored.

All rows that the watermarks of a batch release are joined together: a kernel merges the rows and versions of
each key by time (kernels/temporal_join.py). NULL keys are equal, as in Flink.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.kernels.temporal_join import NONE
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.combined_watermarks import CombinedWatermarks
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MIN_WATERMARK,
    Clock,
    Message,
    Operator,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.retained_watermark import (
    AscendingWatermarks,
    RetainedNumber,
    RetainedWatermark,
)
from firesteel.runtime.dataflow.sequence import sequences
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.operators.over.rows import TimedRows, WaitingRows
from firesteel.runtime.operators.temporal_join.idle_keys import IdleKeys
from firesteel.runtime.operators.temporal_join.versions import Arrived, Matched, Versions
from firesteel.runtime.operators.window.fired import changes
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec, TimedInput
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

ROWS, VERSIONS = 0, 1
Index = NDArray[np.int64]
_NONE = np.zeros(0, np.int64)


class TemporalJoin(Operator):
    """Operator of a temporal join by row time.

    Args:
        spec: Settings.
        state: State of the operator. None keeps it in this process.
        clock: Processing time, by which idle keys expire.
    """

    def __init__(self, spec: TemporalJoinSpec, state: StateBackend | None, clock: Clock) -> None:
        backend, name = memory_backend() if state is None else state, spec.state_id
        self._spec, self._clock = spec, clock
        self._types = [[pa.int8(), *map(to_arrow, side.types)] for side in spec.inputs]
        key_types = [self._types[ROWS][1 + i] for i in spec.inputs[ROWS].keys]
        self._time = RetainedWatermark(backend, f"{name}/time")
        self._came = RetainedNumber(backend, f"{name}/came", 0)
        self._combined = CombinedWatermarks(2, self._time.now)
        self._waiting = WaitingRows(backend, f"{name}/waiting", self._types[ROWS])
        self._versions = Versions(backend, name, key_types, self._types[VERSIONS])
        self._idle = IdleKeys(backend, f"{name}/idle", key_types, spec.ttl) if spec.ttl else None
        self._residual = None if spec.condition is None else Residual(spec.condition)

    # --- messages --------------------------------------------------------------------------------
    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return self.watermarked(WatermarkedBatch(table, _NONE, _NONE), port)

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        watermarks = np.array([watermark.time]), np.array([watermark.sequence])
        sent = list(
            self.watermarked(WatermarkedBatch(pa.table({}), *watermarks, watermark.sub_sequence), port)
        )
        if watermark.sequence == BEFORE_ALL and not sent and self._time.now > MIN_WATERMARK:
            # A watermark with the sequence BEFORE_ALL begins a micro-batch, with new instances of all
            # operators. Those after this one learn the event time from this repeated watermark.
            return [Watermark(self._time.now, BEFORE_ALL)]
        return sent

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return self.ports(PortBatch((rows, None) if port == ROWS else (None, rows)))

    def ports(self, batch: PortBatch) -> Iterator[Message]:
        passed = self._time.now
        watermarks = self._combined.advance(batch)
        self._time.advance(self._combined.passed)
        table = self._joined(batch, watermarks, passed)
        if len(watermarks.times):
            yield WatermarkedBatch(table, watermarks.times, watermarks.sequences, watermarks.sub_sequence)

    def barrier(self) -> Iterable[Message]:
        self._time.save()
        self._came.save()
        return ()

    # --- joining ---------------------------------------------------------------------------------
    def _joined(self, batch: PortBatch, watermarks: AscendingWatermarks, passed: int) -> pa.Table:
        """Return the rows that the watermarks of a batch release, joined with their versions."""
        self._forget_idle()
        rows, by, waits_on = self._released(batch.inputs[ROWS], watermarks)
        new, before = self._came_in(batch.inputs[VERSIONS], VERSIONS, watermarks)
        due = self._versions.due(int(watermarks.times[-1])) if len(watermarks.times) else ()
        keys = self._keys([rows, new, waits_on], due)
        codes = keys.codes
        owners, new_owners = codes[: len(rows)], codes[len(rows) : len(rows) + len(new)]
        waits = np.maximum(np.searchsorted(watermarks.times, new.times), before)
        matched = self._versions.join(
            keys,
            Arrived(owners, rows.times, by, np.zeros(len(rows), np.int64)),
            Arrived(new_owners, new.times, waits, before),
            new.columns,
            watermarks.times,
            passed,
        )
        if self._idle is not None and len(keys):
            self._idle.touch(keys, self._clock())
        return self._sent(rows, by, matched, watermarks)

    def _came_in(
        self, part: WatermarkedBatch | None, port: int, watermarks: AscendingWatermarks
    ) -> tuple[TimedRows, Index]:
        """Return the rows of one input, and the number of watermarks before each row, int64[n]."""
        if part is None or not part.table.num_rows:
            none = tuple(pa.nulls(0, kind) for kind in self._types[port])
            return TimedRows(none, _NONE, _NONE), _NONE
        table, side = part.table, self._spec.inputs[port]
        columns = [one_array(table.column(name)) for name in (KIND, *map(field, range(len(side.types))))]
        times = milliseconds(columns[1 + side.time])
        numbers = np.arange(table.num_rows, dtype=np.int64)
        if port == ROWS:
            numbers += self._came.now
            self._came.now += table.num_rows
        before = np.searchsorted(watermarks.sequences, sequences(table), side="left")
        return TimedRows(tuple(columns), times, numbers), before

    def _released(
        self, part: WatermarkedBatch | None, watermarks: AscendingWatermarks
    ) -> tuple[TimedRows, Index, TimedRows]:
        """Return the rows that watermarks release, the number of each one's watermark, and new waiting rows.

        `part`: the rows of the batch, None for none. Stored rows are released, too.
        """
        new, before = self._came_in(part, ROWS, watermarks)
        waits = np.maximum(np.searchsorted(watermarks.times, new.times), before)
        leaves = waits < len(watermarks.times)
        due = (
            self._waiting.take_until(int(watermarks.times[-1])) if len(watermarks.times) else new.take(_NONE)
        )
        waiting = new.take(np.flatnonzero(~leaves))
        self._waiting.add(waiting)
        here = np.flatnonzero(leaves)
        rows = TimedRows.concat([due, new.take(here)])
        by = np.concatenate([np.searchsorted(watermarks.times, due.times), waits[here]])
        order = stable_order_by(by, rows.numbers)
        return rows.take(order), by[order], waiting

    def _keys(self, parts: Sequence[TimedRows], due: Sequence[pa.Array]) -> Keys:
        """Return the keys of released rows, new versions and timers; if keys expire, also of waiting rows.

        Args:
            parts: Released rows, new versions and new waiting rows.
            due: Key columns of the timers of versions that the watermarks reach (`Versions.due`).
        """
        rows, versions = (side.keys for side in self._spec.inputs)
        positions = (rows, versions, rows) if self._idle is not None else (rows, versions)
        found = [[part.columns[1 + i] for i in keys] for part, keys in zip(parts, positions, strict=False)]
        if due:
            found.append(list(due))
        columns = [pa.concat_arrays(list(each)) for each in zip(*found, strict=True)]
        return find_keys(columns, sum(len(part[0]) for part in found))

    def _sent(
        self, rows: TimedRows, by: Index, matched: Matched, watermarks: AscendingWatermarks
    ) -> pa.Table:
        kinds, *versions = matched.columns
        found = matched.found
        accumulates = np.isin(kinds.to_numpy(), (RowKind.INSERT, RowKind.UPDATE_AFTER))
        holds = found != NONE
        holds[holds] = accumulates[found[holds]]
        if self._residual is not None:
            at = np.flatnonzero(holds)
            pairs = [column.take(pa.array(at)) for column in rows.columns[1:]]
            pairs += [column.take(pa.array(found[at])) for column in versions]
            holds[at] = self._residual.holds(pairs, len(at))
        if not self._spec.pads:
            at = np.flatnonzero(holds)
            rows, by, found, holds = rows.take(at), by[at], found[at], holds[at]
        at = pa.array(found, mask=~holds)
        own, *fields = rows.columns
        columns = [*fields, *(column.take(at) for column in versions)]
        return changes(watermarks.sequences[by], watermarks.sub_sequence, own, columns)

    def _forget_idle(self) -> None:
        """Forget the versions and the waiting rows of keys that have been idle for too long."""
        idle = None if self._idle is None else self._idle.due(self._clock())
        if idle is None or not len(idle):
            return
        self._versions.clear(idle)
        positions = [1 + i for i in self._spec.inputs[ROWS].keys]
        self._waiting.drop(positions, idle)


def build(spec: TemporalJoinSpec, state: StateBackend | None, clock: Clock) -> TemporalJoin:
    return TemporalJoin(spec, state, clock)


def code(spec: TemporalJoinSpec) -> Iterator[str]:
    rows, versions = (_input(side) for side in spec.inputs)
    yield f"-- TemporalJoin ({'LEFT' if spec.pads else 'INNER'}), rows {rows}, versions {versions}"
    if spec.condition is not None and spec.condition.condition is not None:
        yield f"ON {spec.condition.condition}"


def _input(side: TimedInput) -> str:
    return f"by {', '.join(map(field, side.keys))} at f{side.time}"
