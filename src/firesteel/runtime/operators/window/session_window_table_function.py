"""Table function SESSION without an aggregate: rows wait for the end of their session.

Flink: UnalignedWindowTableFunctionOperator. When a session fires, its rows go out in arrival order, with
their own kinds and the window columns.

The state has the rows of a key by time and arrival, without their session. So a merge of sessions moves no
rows. Earlier sessions of a key fire before later ones. So the rows of the sessions that fire are the first
rows of the key in the state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.columns.sorting import stable_order, stable_pair_order
from firesteel.runtime.dataflow.operator import Clock, Message, Operator
from firesteel.runtime.dataflow.retained_watermark import AscendingWatermarks, RetainedNumber
from firesteel.runtime.operators.window.fired import changes, window_columns
from firesteel.runtime.operators.window.session_state import KeyedSessions
from firesteel.runtime.operators.window.session_windows import Batch, SessionOperator
from firesteel.runtime.operators.window.sessions import OpenSessions
from firesteel.runtime.spec.window import SessionWindowTableFunctionSpec, WindowColumn
from firesteel.runtime.state.base import Entries, StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]

_SUB_KEY = pa.struct([("time", pa.int64()), ("number", pa.int64())])
_COLUMNS = (WindowColumn.START, WindowColumn.END, WindowColumn.TIME)


@dataclass(frozen=True)
class _Rows:
    """m rows of sessions that fire.

    Attributes:
        sessions: int64[m], number of each row's session among all sessions that fire.
        numbers: int64[m], arrival number of each row.
        columns: Row kinds, then the fields.
    """

    sessions: Index
    numbers: Index
    columns: list[pa.Array]


class SessionWindowTableFunction(SessionOperator):
    """Operator whose sessions have only a start and an end. Rows are in state by key, time and arrival.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the rows in this process.
        clock: Processing time.
    """

    def __init__(
        self, spec: SessionWindowTableFunctionSpec, state: StateBackend | None, clock: Clock
    ) -> None:
        backend = memory_backend() if state is None else state
        super().__init__(spec.windows, spec.keys, spec.input_types, [], backend, spec.state_id, clock)
        self._types = [pa.int8(), *map(to_arrow, spec.input_types)]
        self._rows = backend.ordered(
            f"{spec.state_id}/rows", _SUB_KEY, self._types, orders=(SortOrder(), SortOrder())
        )
        self._came = RetainedNumber(backend, f"{spec.state_id}/came", 0)
        self._leaving: list[_Rows] = []

    def hold(self, batch: Batch) -> tuple[pa.Array, ...]:
        """Remove the stored rows of sessions that fire, then store the new rows of sessions that stay open.

        The order matters, because a new session may cover the time of a session that has fired.

        Returns:
            An empty tuple: a session has no columns besides its start and end.
        """
        numbers = self._came.now + np.arange(batch.rows.num_rows)
        self._came.now += batch.rows.num_rows
        fired = np.cumsum(batch.fires) - 1
        leave = batch.fires[batch.of_rows]
        here = np.flatnonzero(leave)
        rows = self._columns(batch.rows.take(pa.array(here)))
        known = np.flatnonzero(batch.fires[batch.found.of_open])
        self._leaving = [
            self._taken(batch.keys, batch.known.take(known), fired[batch.found.of_open[known]]),
            _Rows(fired[batch.of_rows[here]], numbers[here], rows),
        ]
        stay = np.flatnonzero(~leave)
        if len(stay):
            self._add(batch, stay, numbers[stay])
        return ()

    def give(self, due: KeyedSessions, watermarks: AscendingWatermarks) -> pa.Table:
        leaving, self._leaving = self._leaving, []
        own = int(max((rows.sessions.max(initial=-1) for rows in leaving), default=-1)) + 1
        whose = tuple(key.slice(own) for key in due.keys)
        keys = find_keys(whose, len(due) - own)
        sessions = OpenSessions(keys.codes, due.starts[own:], due.ends[own:])
        return self._sent([*leaving, self._taken(keys, sessions, np.arange(own, len(due)))], due, watermarks)

    def _sent(self, parts: Sequence[_Rows], due: KeyedSessions, watermarks: AscendingWatermarks) -> pa.Table:
        """Return rows in output order: by watermark, then by session, then by arrival."""
        sessions, numbers = (
            np.concatenate(each) for each in zip(*((p.sessions, p.numbers) for p in parts), strict=True)
        )
        at = np.searchsorted(watermarks.times, due.timers)
        order = np.lexsort((numbers, sessions, due.starts[sessions], due.timers[sessions], at[sessions]))
        place, whose = pa.array(order), sessions[order]
        kinds, *fields = (
            pa.concat_arrays(each).take(place) for each in zip(*(p.columns for p in parts), strict=True)
        )
        borders = window_columns(
            _COLUMNS, due.starts[whose], due.ends[whose], self._windows.time, self._clock()
        )
        return changes(watermarks.sequences[at[whose]], watermarks.sub_sequence, kinds, [*fields, *borders])

    def barrier(self) -> Iterator[Message]:
        yield from super().barrier()
        self._came.save()

    def _columns(self, rows: pa.Table) -> list[pa.Array]:
        names = [KIND, *(field(i) for i in range(len(self._types) - 1))]
        return [one_array(rows.column(name)) for name in names]

    def _add(self, batch: Batch, stay: Index, numbers: Index) -> None:
        rows = batch.rows.take(pa.array(stay))
        owners = batch.found.owners[batch.of_rows[stay]]
        self._rows.put(batch.keys, owners, _sub_keys(self.times(rows), numbers), self._columns(rows), 0)

    def _taken(self, keys: Keys, sessions: OpenSessions, numbers: Index) -> _Rows:
        """Remove and return the stored rows of the given sessions, which fire.

        `numbers`: int64, number of each given session among all sessions that fire.
        """
        if not len(numbers):
            return _Rows(numbers, numbers, [pa.nulls(0, kind) for kind in self._types])
        found = self._first_rows(keys, sessions)
        times, came = (found.sub_keys.field(i).to_numpy() for i in range(2))
        nothing = [pa.nulls(len(times), kind) for kind in self._types]
        self._rows.put(keys, found.owners, found.sub_keys, nothing, 0, np.zeros(len(times), np.bool_))
        order = stable_pair_order(
            np.concatenate([sessions.owners, found.owners]), np.concatenate([sessions.starts, times])
        )
        is_session = order < len(numbers)
        whose = np.empty(len(order), np.int64)
        whose[order] = order[is_session][np.cumsum(is_session) - 1]
        return _Rows(numbers[whose[len(numbers) :]], came, list(found.columns))

    def _first_rows(self, keys: Keys, sessions: OpenSessions) -> Entries:
        """Return the stored rows of each key up to the end of its last session in `sessions`."""
        by = stable_order(sessions.owners)
        owners, firsts = np.unique(sessions.owners[by], return_index=True)
        ends = np.maximum.reduceat(sessions.ends[by], firsts)
        return self._rows.range(keys, owners, None, _sub_keys(ends, np.full(len(ends), -1)), 0)


def _sub_keys(times: Index, numbers: Index) -> pa.Array:
    return pa.StructArray.from_arrays([pa.array(times), pa.array(numbers)], fields=list(_SUB_KEY))


def build(spec: SessionWindowTableFunctionSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return SessionWindowTableFunction(spec, state, clock)


def code(spec: SessionWindowTableFunctionSpec) -> Iterator[str]:
    yield f"-- WindowTableFunction, sessions {spec.windows.gap} ms apart"
