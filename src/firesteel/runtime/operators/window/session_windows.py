"""Base of the operators of session windows: which sessions are open, and when they fire.

Rows and watermarks of a table are processed together. Rows get their sessions
(runtime/operators/window/sessions.py). Sessions that the watermarks of the table end are sent. The others go
to the state.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.event_time import milliseconds
from firesteel.runtime.dataflow.operator import (
    LAST_SEQUENCE,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.retained_watermark import AscendingWatermarks, RetainedWatermark
from firesteel.runtime.dataflow.sequence import origin_of
from firesteel.runtime.operators.window.session_state import KeyedSessions, SessionState
from firesteel.runtime.operators.window.sessions import (
    LATE,
    Arrivals,
    OpenSessions,
    Sessions,
    assign,
    attached,
)
from firesteel.runtime.operators.window.zones import to_timers, to_wall_clock
from firesteel.runtime.spec.window import SessionWindows
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Batch:
    """Rows that are not late, and their sessions.

    Attributes:
        rows: n rows.
        of_rows: int64[n], index in `found` of each row's session.
        keys: Keys of the batch.
        known: Sessions of these keys that were open before the rows came.
        found: The s sessions of these keys after the rows were added.
        parts: Columns of what the sessions in `known` hold, such as accumulators.
        fires: bool[s], whether each session of `found` fires by the watermarks of the batch.
    """

    rows: pa.Table
    of_rows: Index
    keys: Keys
    known: OpenSessions
    found: Sessions
    parts: tuple[pa.Array, ...]
    fires: Mask


class SessionOperator(Operator):
    """Base of operators of session windows.

    Args:
        windows: Settings of the sessions, such as their gap.
        keys: Positions of the key fields.
        types: Types of the fields.
        parts: Types of the columns that a session holds besides its start and end.
        backend: State of the operator.
        name: Name of the states.
        clock: Processing time.
    """

    def __init__(
        self,
        windows: SessionWindows,
        keys: Sequence[int],
        types: Sequence[SqlType],
        parts: Sequence[pa.DataType],
        backend: StateBackend,
        name: str,
        clock: Clock,
    ) -> None:
        self._windows = windows
        self._keys = tuple(keys)
        self._clock = clock
        self._sessions = SessionState(backend, name, [to_arrow(types[i]) for i in keys], parts)
        self._event_time = RetainedWatermark(backend, f"{name}/watermark")
        self.late = 0

    # --- implemented by subclasses -------------------------------------------------------------------
    @abstractmethod
    def hold(self, batch: Batch) -> tuple[pa.Array, ...]:
        """Add the rows of a batch. Return the columns that the sessions in `batch.found` then hold."""

    @abstractmethod
    def give(self, due: KeyedSessions, watermarks: AscendingWatermarks) -> pa.Table:
        """Return the changes of sessions that fire, in output order.

        Args:
            due: Sessions that fire: first those of the batch that was passed to the last call of `hold`, then
                those that were in the state.
            watermarks: Watermarks that fire the sessions.
        """

    # --- messages ------------------------------------------------------------------------------------
    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        if not table.num_rows:
            return ()
        out = self.watermarked(WatermarkedBatch(table, _NONE, _NONE), port)
        return [each for each in out if not isinstance(each, WatermarkedBatch)]

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        if not self._windows.is_rowtime:
            return (watermark,)
        self._event_time.advance(watermark.time)
        fired = self.give(self._sessions.take_until(watermark.time), AscendingWatermarks.of(watermark))
        return (fired, watermark) if fired.num_rows else (watermark,)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        if not self._windows.is_rowtime:
            return self._at_clock(rows)
        watermarks = AscendingWatermarks.of(rows)
        fired = self._take(rows.table, self._event_time.at_rows(rows), watermarks)
        self._event_time.advance(int(watermarks.times[-1]) if len(watermarks.times) else self._event_time.now)
        due = fired.and_then(self._sessions.take_until(self._event_time.now))
        return (rows.with_rows(self.give(due, watermarks)),)

    def barrier(self) -> Iterator[Message]:
        if not self._windows.is_rowtime:
            yield from self._at_time(LAST_SEQUENCE, 0)
        self._event_time.save()

    def next_timer(self) -> int | None:
        return None if self._windows.is_rowtime else self._sessions.next_timer()

    # --- processing time -----------------------------------------------------------------------------
    def _at_clock(self, rows: WatermarkedBatch) -> Iterator[Message]:
        """Fire the sessions that processing time ends, then add the rows, all with the time of the clock."""
        table = rows.table
        if table.num_rows:
            yield from self._at_time(*origin_of(table, 0))
            self._take(table, np.full(table.num_rows, np.iinfo(np.int64).min), AscendingWatermarks.none())
        yield from rows.with_rows(table.slice(0, 0)).pieces()

    def _at_time(self, sequence: int, sub_sequence: int) -> Iterator[pa.Table]:
        now = self._clock()
        watermarks = AscendingWatermarks(np.array([now]), np.array([sequence]), sub_sequence)
        fired = self.give(self._sessions.take_until(now), watermarks)
        if fired.num_rows:
            yield fired

    # --- rows ----------------------------------------------------------------------------------------
    def _take(self, table: pa.Table, row_watermarks: Index, watermarks: AscendingWatermarks) -> KeyedSessions:
        """Add rows, and return the sessions that fire by the watermarks.

        `row_watermarks` has the watermark at the time each row came.
        """
        keys = find_keys([table.column(field(i)) for i in self._keys], table.num_rows)
        known, parts = self._sessions.of(keys)
        found = self._assigned(table, keys, row_watermarks, known)
        late = found.of_rows == LATE
        here = np.flatnonzero(~late)
        if len(here) < table.num_rows:
            self.drop_late(table, late, self._last_times(table), row_watermarks)
        rows = table if len(here) == table.num_rows else table.take(pa.array(here))
        fires = np.searchsorted(watermarks.times, found.timers) < len(watermarks.times)
        batch = Batch(rows, found.of_rows[here], keys, known, found, parts, fires)
        return self._keep(batch, self.hold(batch))

    def _assigned(self, table: pa.Table, keys: Keys, row_watermarks: Index, known: OpenSessions) -> Sessions:
        windows = self._windows
        if windows.borders is not None:
            starts, ends = (milliseconds(one_array(table.column(field(i)))) for i in windows.borders)
            return attached(Arrivals(keys.codes, starts, row_watermarks), ends, known, windows.time.zone)
        return assign(
            Arrivals(keys.codes, self.times(table), row_watermarks), known, windows.gap, windows.time.zone
        )

    def times(self, table: pa.Table) -> Index:
        """Return the time of each row, int64[n] in milliseconds of the windows' time zone."""
        time = self._windows.time
        if time.column is None:
            return to_wall_clock(np.full(table.num_rows, self._clock()), time.zone)
        return to_wall_clock(milliseconds(one_array(table.column(field(time.column)))), time.zone)

    def _last_times(self, table: pa.Table) -> Index:
        """Return the time that `drop_late` gets for each row, int64[n] in milliseconds.

        This is the row time. If rows have window columns, it is the last millisecond of the row's window.
        """
        windows = self._windows
        if windows.borders is not None:
            ends: Index = milliseconds(one_array(table.column(field(windows.borders[1]))))
            return ends - 1
        assert windows.time.column is not None
        return milliseconds(one_array(table.column(field(windows.time.column))))

    def _keep(self, batch: Batch, parts: tuple[pa.Array, ...]) -> KeyedSessions:
        """Write changed sessions, and return those that fire. `parts`: columns that `hold` has returned."""
        found, known, keys = batch.found, batch.known, batch.keys
        place = pa.array(found.owners)
        whose = tuple(key.take(place) for key in keys.columns)
        sessions = KeyedSessions(whose, found.starts, found.ends, found.timers, parts)
        changed = np.zeros(len(sessions), np.bool_)
        changed[batch.of_rows] = True
        stale = np.flatnonzero((changed | batch.fires)[found.of_open])
        timers = to_timers(known.ends[stale] - 1, self._windows.time.zone)
        self._sessions.drop(keys, known.owners[stale], known.starts[stale], timers)
        stay = np.flatnonzero(changed & ~batch.fires)
        self._sessions.put(keys, found.owners[stay], sessions.take(stay))
        return sessions.take(np.flatnonzero(batch.fires))
