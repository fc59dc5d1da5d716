"""The table function SESSION without an aggregate: rows wait for the end of their session.

Flink: UnalignedWindowTableFunctionOperator. When a session fires, its rows go out in the order in which they
came, with their own kinds and the session's borders behind them. Of the sessions of a key those that fire are
before those that stay, so their rows are the first of the key by time: nothing is moved where one is joined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.keys import Keys, find_keys, one_array
from firesteel.runtime.operators.base import Clock, Message, Operator
from firesteel.runtime.operators.event_time import KeptNumber, Marks
from firesteel.runtime.operators.session_windows import Batch, SessionOperator
from firesteel.runtime.sorting import stable_pair_order
from firesteel.runtime.spec import KIND, field
from firesteel.runtime.state.base import Entries, StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.runtime.window_spec import SessionWindowTableFunctionSpec, WindowColumn
from firesteel.runtime.windows.fired import changes, window_columns
from firesteel.runtime.windows.session_state import KeyedSessions
from firesteel.types.arrow import to_arrow

Index = NDArray[np.int64]

_SUB_KEY = pa.struct([("time", pa.int64()), ("number", pa.int64())])
_COLUMNS = (WindowColumn.START, WindowColumn.END, WindowColumn.TIME)


@dataclass(frozen=True)
class _Rows:
    """m rows of sessions that fire. sessions: whose each is. numbers: how many rows came before each.
    columns: their kinds, then their fields."""

    sessions: Index
    numbers: Index
    columns: list[pa.Array]


class SessionWindowTableFunction(SessionOperator):
    """A session holds nothing but its borders; the rows are in state by key, time and number. state: None
    keeps them in this process."""

    def __init__(
        self, spec: SessionWindowTableFunctionSpec, state: StateBackend | None, clock: Clock
    ) -> None:
        backend = memory_backend() if state is None else state
        super().__init__(spec.windows, spec.keys, spec.input_types, [], backend, spec.state_id, clock)
        self._types = [pa.int8(), *map(to_arrow, spec.input_types)]
        self._rows = backend.ordered(
            f"{spec.state_id}/rows", _SUB_KEY, self._types, orders=(SortOrder(), SortOrder())
        )
        self._came = KeptNumber(backend, f"{spec.state_id}/came", 0)

    def hold(self, batch: Batch) -> tuple[pa.Array, ...]:
        numbers = self._came.now + np.arange(batch.rows.num_rows)
        self._came.now += batch.rows.num_rows
        stay = np.flatnonzero(~batch.fires[batch.of_rows])
        if len(stay):
            rows = batch.rows.take(pa.array(stay))
            owners = batch.found.owners[batch.of_rows[stay]]
            sub_keys = _sub_keys(self.times(rows), numbers[stay])
            self._rows.put(batch.keys, owners, sub_keys, self._columns(rows), 0)
        return ()

    def give(self, due: KeyedSessions, marks: Marks, batch: Batch | None) -> pa.Table:
        rows = [self._held(due)]
        if batch is not None:
            here = np.flatnonzero(batch.fires[batch.of_rows])
            numbers = self._came.now - batch.rows.num_rows + here
            sessions = (np.cumsum(batch.fires) - 1)[batch.of_rows[here]]
            rows.append(_Rows(sessions, numbers, self._columns(batch.rows.take(pa.array(here)))))
        sessions, numbers = (
            np.concatenate(each) for each in zip(*((r.sessions, r.numbers) for r in rows), strict=True)
        )
        at = np.searchsorted(marks.times, due.timers)
        order = np.lexsort((numbers, due.starts[sessions], due.timers[sessions], at[sessions]))
        place, whose = pa.array(order), sessions[order]
        kinds, *fields = (
            pa.concat_arrays(each).take(place) for each in zip(*(r.columns for r in rows), strict=True)
        )
        borders = window_columns(
            _COLUMNS, due.starts[whose], due.ends[whose], self._windows.time, self._clock()
        )
        return changes(marks.orders[at[whose]], marks.place, kinds, [*fields, *borders])

    def barrier(self) -> Iterator[Message]:
        yield from super().barrier()
        self._came.save()

    def _columns(self, rows: pa.Table) -> list[pa.Array]:
        names = [KIND, *(field(i) for i in range(len(self._types) - 1))]
        return [one_array(rows.column(name)) for name in names]

    def _held(self, due: KeyedSessions) -> _Rows:
        """Take the rows of sessions that fire out of the state."""
        if not len(due):
            return _Rows(due.starts, due.starts, [pa.nulls(0, kind) for kind in self._types])
        keys = find_keys(due.keys, len(due))
        found = self._first_rows(keys, due)
        times, numbers = (found.sub_keys.field(i).to_numpy() for i in range(2))
        nothing = [pa.nulls(len(times), kind) for kind in self._types]
        self._rows.put(keys, found.owners, found.sub_keys, nothing, 0, np.zeros(len(times), np.bool_))
        order = stable_pair_order(
            np.concatenate([keys.codes, found.owners]), np.concatenate([due.starts, times])
        )
        is_session = order < len(due)
        latest = order[is_session][np.cumsum(is_session) - 1]
        sessions = np.empty(len(order), np.int64)
        sessions[order] = latest
        return _Rows(sessions[len(due) :], numbers, list(found.columns))

    def _first_rows(self, keys: Keys, due: KeyedSessions) -> Entries:
        """The rows of each key up to the end of its last session that fires."""
        by_key = due.ends[keys.order]
        ends = np.maximum.reduceat(by_key, keys.starts)
        return self._rows.range(keys, np.arange(len(keys)), None, _sub_keys(ends, np.full(len(ends), -1)), 0)


def _sub_keys(times: Index, numbers: Index) -> pa.Array:
    return pa.StructArray.from_arrays([pa.array(times), pa.array(numbers)], fields=list(_SUB_KEY))


def build(spec: SessionWindowTableFunctionSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return SessionWindowTableFunction(spec, state, clock)


def code(spec: SessionWindowTableFunctionSpec) -> Iterator[str]:
    yield f"-- WindowTableFunction, sessions {spec.windows.gap} ms apart"
