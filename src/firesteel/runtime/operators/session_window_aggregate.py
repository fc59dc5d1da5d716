"""Aggregation by key and session: the table function's and that of GROUP BY.

Flink: UnsliceSyncStateWindowAggProcessor, WindowOperator over a SessionWindowAssigner. A session gives one +I
when it fires, or nothing where no record is left of it. A retraction goes to the session of its own time, and
never makes one smaller. Rows and watermarks of a table are worked off together: the rows get their sessions
(windows/sessions.py), are reduced by session, and merged with what is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.handler import generate
from firesteel.runtime.keys import Keys, find_keys, one_array
from firesteel.runtime.operators.base import LAST_ORDER, Clock, Marked, Message, Operator, Watermark
from firesteel.runtime.operators.event_time import EventTime, Marks
from firesteel.runtime.orders import cause_of
from firesteel.runtime.spec import field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.window_spec import SessionWindowAggregateSpec
from firesteel.runtime.windows.accumulators import Accumulated, WindowAccumulators
from firesteel.runtime.windows.fired import inserts, millis_of, window_columns
from firesteel.runtime.windows.session_state import KeyedSessions, SessionState
from firesteel.runtime.windows.sessions import LATE, Arrivals, OpenSessions, Sessions, assign, attached
from firesteel.runtime.windows.zones import to_timers, to_wall_clock
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]

_NONE = np.zeros(0, np.int64)


class SessionWindowAggregate(Operator):
    """state: None keeps the open sessions in this process. columnar: False sends everything through the row
    handler."""

    def __init__(
        self,
        spec: SessionWindowAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        self._spec = spec
        self._clock = clock
        backend = memory_backend() if state is None else state
        name = spec.aggregate.state_id
        self._accumulators = WindowAccumulators(spec.aggregate, columnar)
        key_types = [to_arrow(spec.aggregate.input_types[i]) for i in spec.aggregate.keys]
        self._sessions = SessionState(backend, name, key_types, self._accumulators.types)
        self._event_time = EventTime(backend, f"{name}/watermark")

    # --- messages ------------------------------------------------------------------------------------
    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        if not table.num_rows:
            return ()
        return self.marked(Marked(table, _NONE, _NONE), port)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        if self._spec.time.column is None:
            return (mark,)
        marks = Marks.of(mark)
        self._event_time.advance(mark.time)
        fired = self._fired(self._sessions.take_until(mark.time), marks)
        return (fired, mark) if fired.num_rows else (mark,)

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        if self._spec.time.column is None:
            return self._at_clock(rows)
        done = self._take(rows.table, self._event_time.standing(rows), Marks.of(rows))
        if not len(rows.times):
            return ()
        self._event_time.advance(int(rows.times.max()))
        due = done.and_then(self._sessions.take_until(self._event_time.now))
        return (rows.with_rows(self._fired(due, Marks.of(rows))),)

    def barrier(self) -> Iterator[Message]:
        if self._spec.time.column is None:
            yield from self._at_time(LAST_ORDER, 0)
        self._event_time.save()

    # --- processing time -----------------------------------------------------------------------------
    def _at_clock(self, rows: Marked) -> Iterator[Message]:
        """What the clock has passed fires before the rows, of which it reads all at once."""
        if rows.table.num_rows:
            yield from self._at_time(*cause_of(rows.table, 0))
            standing = np.full(rows.table.num_rows, np.iinfo(np.int64).min)
            self._take(rows.table, standing, Marks.none())
        yield from rows.with_rows(rows.table.slice(0, 0)).pieces()

    def _at_time(self, order: int, place: int) -> Iterator[pa.Table]:
        now = Marks(np.array([self._clock()]), np.array([order]), place)
        fired = self._fired(self._sessions.take_until(self._clock()), now)
        if fired.num_rows:
            yield fired

    # --- rows ----------------------------------------------------------------------------------------
    def _take(self, table: pa.Table, standing: Index, marks: Marks) -> KeyedSessions:
        """Take rows in. standing: the watermark at each. Gives the sessions that fire by these marks; the
        others are open."""
        keys = find_keys([table.column(field(i)) for i in self._spec.aggregate.keys], table.num_rows)
        known, parts = self._sessions.of(keys)
        found = self._assigned(table, keys, standing, known)
        here = np.flatnonzero(found.of_rows != LATE)
        rows = table if len(here) == table.num_rows else table.take(pa.array(here))
        lifted = self._accumulators.lift(rows, found.of_rows[here])
        whole = self._accumulators.merge(Accumulated(found.of_open, parts).and_then(lifted))
        fires = np.searchsorted(marks.times, found.timers) < len(marks.times)
        changed = np.zeros(len(found.starts), np.bool_)
        changed[lifted.windows] = True
        return self._keep(keys, found, known, whole, fires, changed)

    def _assigned(self, table: pa.Table, keys: Keys, standing: Index, known: OpenSessions) -> Sessions:
        time = self._spec.time
        if self._spec.borders is not None:
            starts, ends = (millis_of(one_array(table.column(field(i)))) for i in self._spec.borders)
            return attached(Arrivals(keys.codes, starts, standing), ends, known, time.zone)
        if time.column is None:
            times = np.full(table.num_rows, self._clock())
        else:
            times = millis_of(one_array(table.column(field(time.column))))
        arrivals = Arrivals(keys.codes, to_wall_clock(times, time.zone), standing)
        return assign(arrivals, known, self._spec.gap, time.zone)

    def _timers(self, ends: Index) -> Index:
        return to_timers(ends - 1, self._spec.time.zone)

    def _keep(
        self,
        keys: Keys,
        found: Sessions,
        known: OpenSessions,
        whole: Accumulated,
        fires: NDArray[np.bool_],
        changed: NDArray[np.bool_],
    ) -> KeyedSessions:
        """Write what has changed; gives the sessions that fire."""
        of_owners = pa.array(found.owners)
        sessions = KeyedSessions(
            tuple(key.take(of_owners) for key in keys.columns),
            found.starts,
            found.ends,
            found.timers,
            whole.parts,
        )
        stale = np.flatnonzero((changed | fires)[found.of_open])
        self._sessions.drop(keys, known.owners[stale], known.starts[stale], self._timers(known.ends[stale]))
        stay = np.flatnonzero(changed & ~fires)
        self._sessions.put(keys, found.owners[stay], sessions.take(stay))
        return sessions.take(np.flatnonzero(fires))

    def _fired(self, due: KeyedSessions, marks: Marks) -> pa.Table:
        """The results of sessions, by the mark that fires each, the one that ends first before."""
        at = np.searchsorted(marks.times, due.timers)
        order = np.lexsort((due.starts, due.timers, at))
        due, at = due.take(order), at[order]
        live, results = self._accumulators.results(Accumulated(np.arange(len(due)), due.parts))
        columns = [*due.keys, *results]
        columns += window_columns(self._spec.columns, due.starts, due.ends, self._spec.time, self._clock())
        fired = inserts(marks.orders[at], marks.place, columns)
        return fired if live.all() else fired.filter(pa.array(live))


def build(spec: SessionWindowAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return SessionWindowAggregate(spec, state, clock)


def code(spec: SessionWindowAggregateSpec) -> Iterator[str]:
    yield f"-- WindowAggregate, sessions {spec.gap} ms apart"
    yield generate(spec.aggregate).source.rstrip()
