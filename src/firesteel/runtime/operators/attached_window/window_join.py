"""WindowJoin: join the rows of equal windows, at the end of the windows. Flink: WindowJoinOperator.

Rows wait until the watermarks of both inputs have passed the end of their window. All windows that one
watermark passes are joined together.
A row is late if the watermark of its own input had passed its window. The watermark of the other input does
not matter: it depends on how the inputs are divided into batches, and the result must not depend on that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.columns.keys import common_codes
from firesteel.runtime.dataflow.operator import (
    MIN_WATERMARK,
    Clock,
    Message,
    Operator,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.retained_watermark import RetainedNumber, RetainedWatermark
from firesteel.runtime.operators.attached_window.window_pairs import (
    NONE,
    PIECE,
    FiredSide,
    Holds,
    Index,
    Mask,
    WindowPairs,
)
from firesteel.runtime.operators.attached_window.windowed_rows import NO_WINDOW, WindowedRows
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.operators.over.rows import TimedRows
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.spec.attached_window import WindowJoinInput, WindowJoinKind, WindowJoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.arrow import to_arrow

_NONE = np.zeros(0, np.int64)


class WindowJoin(Operator):
    """Operator that joins the rows of equal windows.

    `late` counts the rows of both inputs whose window was over by the watermark of their input.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
    """

    def __init__(self, spec: WindowJoinSpec, state: StateBackend | None) -> None:
        backend = memory_backend() if state is None else state
        self.late = 0
        self._spec = spec
        self._residual = None if spec.condition is None else Residual(spec.condition)
        self._passed = MIN_WATERMARK
        self._sides = [
            _Side(side, backend, f"{spec.state_id}/{name}", partial(self.drop_late, port=port))
            for port, (side, name) in enumerate(zip(spec.inputs, ("left", "right"), strict=True))
        ]

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return self._one(WatermarkedBatch(table, _NONE, _NONE), port)

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        none = inserts(_NONE, 0, self._sides[port].none())
        return self._one(
            WatermarkedBatch(
                none, np.array([watermark.time]), np.array([watermark.sequence]), watermark.sub_sequence
            ),
            port,
        )

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return self._one(rows, port)

    def _one(self, rows: WatermarkedBatch, port: int) -> Iterable[Message]:
        return self.ports(PortBatch((rows, None) if port == 0 else (None, rows)))

    def ports(self, batch: PortBatch) -> Iterable[Message]:
        new = [side.take(part) for side, part in zip(self._sides, batch.inputs, strict=True)]
        time = min(side.time for side in self._sides)
        marked = [part for part in batch.inputs if part is not None and len(part.times)]
        if time <= self._passed or not marked:  # No window fires. After a restart, `time` may be repeated.
            for side, rows in zip(self._sides, new, strict=True):
                side.keep(rows)
            return
        self._passed = time
        fired = [side.fire(rows, time) for side, rows in zip(self._sides, new, strict=True)]
        sequence = max(int(part.sequences[-1]) for part in marked)
        sub_sequence = max(part.sub_sequence for part in marked)
        yield from _Firing(self._spec, self._residual, fired[0], fired[1]).tables(sequence, sub_sequence)
        yield Watermark(time, sequence, sub_sequence)

    def barrier(self) -> Iterable[Message]:
        for side in self._sides:
            side.save()
        return ()


class _Side:
    """State of one input: its watermark, and its rows whose windows have not fired.

    Args:
        spec: Settings of the input.
        backend: State of the operator.
        name: Name of its states.
        drop_late: Function that counts late rows, and keeps them if wanted (Operator.drop_late).
    """

    def __init__(
        self, spec: WindowJoinInput, backend: StateBackend, name: str, drop_late: Callable[..., None]
    ) -> None:
        types = [to_arrow(kind) for kind in spec.types]
        self._drop_late = drop_late
        self._types = types
        self._time = RetainedWatermark(backend, f"{name}/time")
        self._came = RetainedNumber(backend, f"{name}/came", 0)
        self._waiting = WindowedRows(spec.window, backend, f"{name}/waiting", types)

    @property
    def time(self) -> int:
        """The watermark of the input."""
        return self._time.now

    def none(self) -> list[pa.Array]:
        """Return empty columns of the input's types."""
        return [pa.nulls(0, kind) for kind in self._types]

    def take(self, part: WatermarkedBatch | None) -> TimedRows:
        """Return the rows of a batch that are not late, and advance the watermark."""
        if part is None:
            return self._waiting.none()
        rows = self._waiting.none()
        if part.table.num_rows:
            count = part.table.num_rows
            rows = self._waiting.arrived(part.table, self._came.now + np.arange(count))
            self._came.now += count
            row_watermarks = self._time.at_rows(part)
            in_time = (rows.times > row_watermarks) | (rows.times == NO_WINDOW)
            self._drop_late(part.table, ~in_time, rows.times, row_watermarks)
            rows = rows.take(np.flatnonzero(in_time))
        if len(part.times):
            self._time.advance(int(part.times.max()))
        return rows

    def keep(self, new: TimedRows) -> None:
        """Store new rows until their windows fire."""
        self._waiting.add(new)

    def fire(self, new: TimedRows, time: int) -> _Fired:
        """Return all rows of the windows that a watermark fires, and store the other new rows.

        Args:
            new: New rows.
            time: The watermark that both inputs have reached.
        """
        fires = new.times <= time
        self._waiting.add(new.take(np.flatnonzero(~fires)))
        due = self._waiting.take_until(time)
        rows = TimedRows.concat([due, new.take(np.flatnonzero(fires))])
        return _Fired(rows, self._waiting.ends(rows), self._waiting.borders(rows))

    def save(self) -> None:
        self._time.save()
        self._came.save()


class _Fired:
    """The rows of one input whose windows fire."""

    def __init__(self, rows: TimedRows, ends: Index, borders: Sequence[pa.Array]) -> None:
        self.rows = rows
        self.ends = ends
        self.borders = borders

    def keys(self, spec: WindowJoinInput) -> list[pa.Array]:
        return [*(self.rows.columns[i] for i in spec.keys), *self.borders]

    def side(self, spec: WindowJoinInput, null_safe: Sequence[bool], codes: Index) -> FiredSide:
        equal = (self.rows.columns[key] for key, safe in zip(spec.keys, null_safe, strict=True) if not safe)
        joins = np.ones(len(self.rows), np.bool_)
        for column in (*equal, *self.borders):
            if column.null_count:
                joins &= column.is_valid().to_numpy(zero_copy_only=False)
        return FiredSide(self.rows.times, self.ends, self.rows.numbers, codes, joins)


class _Firing:
    """A join of all windows that a watermark fires."""

    def __init__(self, spec: WindowJoinSpec, residual: Residual | None, left: _Fired, right: _Fired) -> None:
        self._spec = spec
        self._residual = residual
        self._columns = left.rows.columns, right.rows.columns
        self._leads = 1 if spec.kind is WindowJoinKind.RIGHT else 0
        fired = left, right
        keys = [each.keys(side) for each, side in zip(fired, spec.inputs, strict=True)]
        codes = common_codes(keys[0], keys[1], (len(left.rows), len(right.rows)))
        sides = [
            each.side(side, spec.null_safe, own)
            for each, side, own in zip(fired, spec.inputs, codes, strict=True)
        ]
        self._pairs = WindowPairs(sides[self._leads], sides[1 - self._leads])

    def tables(self, sequence: int, sub_sequence: int) -> Iterator[pa.Table]:
        """Yield the rows to send, caused by a watermark with this sequence and sub-sequence."""
        for columns in self._sent():
            if len(columns[0]):
                yield inserts(np.full(len(columns[0]), sequence), sub_sequence, columns)

    def _sent(self) -> Iterator[list[pa.Array]]:
        kind, holds = self._spec.kind, self._holds
        if not kind.has_right_columns:
            rows = self._pairs.matched(holds) if kind is WindowJoinKind.SEMI else self._pairs.alone(holds)
            for begin in range(0, len(rows), PIECE):
                yield _taken(self._columns[0], rows[begin : begin + PIECE])
            return
        pads, pads_other = kind.pads(self._leads), kind.pads(1 - self._leads)
        for joined in self._pairs.joined(holds, pads, pads_other):
            yield self._both(joined.leading, joined.others)

    @property
    def _holds(self) -> Holds | None:
        if self._residual is None:
            return None
        residual = self._residual

        def holds(leading: Index, others: Index) -> Mask:
            return residual.holds(self._both(leading, others), len(leading))

        return holds

    def _both(self, leading: Index, others: Index) -> list[pa.Array]:
        """Return the fields of the left input, then those of the right input.

        Fields are NULL where a position is NONE (-1).
        """
        left, right = (leading, others) if self._leads == 0 else (others, leading)
        return [*_taken(self._columns[0], left), *_taken(self._columns[1], right)]


def _taken(columns: Sequence[pa.Array], at: Index) -> list[pa.Array]:
    place = pa.array(at, mask=at == NONE)
    return [column.take(place) for column in columns]


def build(spec: WindowJoinSpec, state: StateBackend | None, clock: Clock) -> WindowJoin:
    return WindowJoin(spec, state)


def code(spec: WindowJoinSpec) -> Iterator[str]:
    left, right = (", ".join(map(field, side.keys)) or "no key" for side in spec.inputs)
    yield f"-- WindowJoin ({spec.kind.name}), left by {left}, right by {right}"
    if spec.condition is not None and spec.condition.condition is not None:
        yield f"ON {spec.condition.condition}"
