"""IntervalJoin: INNER, LEFT, RIGHT and FULL joins of insert-only inputs whose times are close.

Flink: TimeIntervalJoin, RowTimeIntervalJoin, ProcTimeIntervalJoin, KeyedCoProcessOperatorWithWatermarkDelay.

The times of a pair satisfy right + lower <= left <= right + upper. So the last possible partner of a left row
with time t has the time t - lower, and that of a right row has the time t + upper. The operator's time is the
lower watermark of both inputs or, in a join by processing time, the clock.

- A row is joined with the stored rows of the other input. It is stored if its last possible partner is later
  than the operator's time. Else it is late: if it found no partner and its side is padded, it is sent padded.
- A row expires `min_cleanup` milliseconds (see the spec) after the operator's time has passed its last
  possible partner. If it found none and its side is padded, it is sent padded.
- A pair is sent with the times of both rows, and the earlier time may be below the received watermarks. So
  the sent watermarks are lower, by the greatest possible distance between the times of two partners.

Flink sets one timer for all rows of a key, so there a row that came out of order may expire later and still
be joined with late rows. Here, each row expires at its own time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    LAST_SEQUENCE,
    MAX_WATERMARK,
    MIN_WATERMARK,
    Clock,
    Message,
    Operator,
    PortBatch,
    Watermark,
    WatermarkedBatch,
    earliest,
)
from firesteel.runtime.operators.interval_join.arrivals import Arrivals
from firesteel.runtime.operators.interval_join.meeting import Meeting
from firesteel.runtime.operators.interval_join.port_watermarks import PortWatermarks, Steps
from firesteel.runtime.operators.interval_join.retained_rows import RetainedRows
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend

_NONE = np.empty(0, np.int64)
_NO_ROWS = pa.table({})


class IntervalJoin(Operator):
    """Operator of an interval join by row time or processing time.

    Args:
        spec: Settings.
        state: State of the operator. None keeps it in this process.
        clock: Processing time.
    """

    def __init__(self, spec: IntervalJoinSpec, state: StateBackend | None, clock: Clock) -> None:
        backend = state if state is not None else memory_backend()
        self._spec = spec
        self._clock = clock
        self._residual = None if spec.condition is None else Residual(spec.condition)
        self._kept = [RetainedRows(spec, port, backend) for port in (0, 1)]
        self._watermarks = PortWatermarks(backend, spec.state_id)

    def ports(self, batch: PortBatch) -> Iterable[Message]:
        steps = self._watermarks.advance(batch.inputs)
        if self._spec.is_rowtime:
            return self._joined(batch.inputs, steps)
        return self._by_clock(batch.inputs, steps)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return self.watermarked(WatermarkedBatch(table, _NONE, _NONE), port)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return self.ports(PortBatch((rows, None) if port == 0 else (None, rows)))

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterator[Message]:
        watermarks = WatermarkedBatch(
            _NO_ROWS, np.array([watermark.time]), np.array([watermark.sequence]), watermark.sub_sequence
        )
        sent = list(self.watermarked(watermarks, port))
        yield from sent
        if watermark.sequence == BEFORE_ALL and not sent and self._watermarks.now > MIN_WATERMARK:
            yield Watermark(self._held_back(self._watermarks.now), BEFORE_ALL)

    def barrier(self) -> Iterable[Message]:
        if not self._spec.is_rowtime:
            yield from self._expire_by_clock()
        for kept in self._kept:
            kept.save()
        self._watermarks.save()

    def next_timer(self) -> int | None:
        if self._spec.is_rowtime:
            return None
        return earliest(kept.next_expiry() for kept in self._kept)

    def _joined(self, inputs: Sequence[WatermarkedBatch | None], steps: Steps) -> Iterator[Message]:
        """Yield the results of a batch by row time, with the watermarks among them."""
        if not len(steps.times) and not any(part is not None and part.table.num_rows for part in inputs):
            return
        meeting = self._meeting(inputs, steps)
        for piece in meeting.pieces():
            yield from self._sent(piece)
        self._store(meeting, steps.last)

    def _by_clock(self, inputs: Sequence[WatermarkedBatch | None], steps: Steps) -> Iterator[Message]:
        """Yield the results of rows by processing time. The inputs' watermarks are sent on."""
        if any(part is not None and part.table.num_rows for part in inputs):
            meeting = self._meeting(inputs, Steps(self._clock(), _NONE, _NONE))
            for piece in meeting.pieces():
                yield piece.table
            meeting.store()
        for time, sequence in zip(steps.times.tolist(), steps.sequences.tolist(), strict=True):
            yield Watermark(time, sequence, steps.sub_sequence)

    def _expire_by_clock(self) -> Iterator[Message]:
        now = self._clock()
        steps = Steps(now, np.array([now]), np.array([LAST_SEQUENCE]))
        meeting = self._meeting((None, None), steps)
        for piece in meeting.pieces():
            if piece.table.num_rows:
                yield piece.table
        self._store(meeting, now)

    def _meeting(self, inputs: Sequence[WatermarkedBatch | None], steps: Steps) -> Meeting:
        arrivals = Arrivals.of(self._spec, inputs, steps, self._clock())
        return Meeting(self._spec, arrivals, self._kept, steps, self._residual)

    def _store(self, meeting: Meeting, now: int) -> None:
        meeting.store()
        if now > MIN_WATERMARK:
            for kept in self._kept:
                kept.drop_expired(now)

    def _sent(self, piece: WatermarkedBatch) -> Iterator[Message]:
        """Yield rows and the watermarks among them.

        The watermarks are lowered by the greatest possible distance between the times of two partners.
        """
        if not len(piece.times):
            if piece.table.num_rows:
                yield piece.table
            return
        times = np.array([self._held_back(time) for time in piece.times.tolist()])
        yield replace(piece, times=times)

    def _held_back(self, time: int) -> int:
        """Return the watermark to send for the watermark `time`.

        It is lower by the greatest possible distance between the times of two partners (`spec.delay`).
        MAX_WATERMARK, which ends the input, stays as it is.
        """
        return time if time == MAX_WATERMARK else max(time - self._spec.delay, MIN_WATERMARK + 1)


def build(spec: IntervalJoinSpec, state: StateBackend | None, clock: Clock) -> IntervalJoin:
    return IntervalJoin(spec, state, clock)


def code(spec: IntervalJoinSpec) -> Iterator[str]:
    left, right = (", ".join(map(field, side.keys)) or "no key" for side in spec.inputs)
    time = "row time" if spec.is_rowtime else "processing time"
    yield f"-- IntervalJoin ({spec.kind.name}) by {time}, left by {left}, right by {right}"
    yield f"left - right BETWEEN {spec.lower} AND {spec.upper} ms"
    if spec.condition is not None and spec.condition.condition is not None:
        yield f"ON {spec.condition.condition}"
