"""Aggregate by key and session, for the table function SESSION and for SESSION of GROUP BY.

Flink: UnsliceSyncStateWindowAggProcessor, WindowOperator over a SessionWindowAssigner. A session sends one +I
when it fires, or nothing if no record is left in it. A retraction joins the session that a row of its time
would join, and never makes a session smaller. This may be a wrong session, if the session of the retracted
row has fired. With a gap of 10:

    The session of a row at 0 fires. A row at 10 opens a session. The retraction of the row at 0 joins it.

Then MIN and MAX retract a value that their session does not have, and Flink's result depends on the order of
the rows. So an aggregate with MIN or MAX over retractions is processed row by row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.columns.sorting import stable_order_by
from firesteel.runtime.dataflow.operator import Clock, Operator
from firesteel.runtime.dataflow.retained_watermark import AscendingWatermarks
from firesteel.runtime.operators.window.fired import inserts, window_columns
from firesteel.runtime.operators.window.session_state import KeyedSessions
from firesteel.runtime.operators.window.session_windows import Batch, SessionOperator
from firesteel.runtime.operators.window.slicing.slice_accumulators import Accumulated, WindowAccumulators
from firesteel.runtime.spec.window import SessionWindowAggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend


class SessionWindowAggregate(SessionOperator):
    """Operator whose sessions hold accumulators.

    Args:
        spec: Settings.
        state: State of the operator. None keeps the sessions in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self,
        spec: SessionWindowAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        self._columns = spec.columns
        self._accumulators = WindowAccumulators(
            spec.aggregate, columnar and not spec.aggregate.sorted_arguments
        )
        backend = memory_backend() if state is None else state
        of = spec.aggregate
        super().__init__(
            spec.windows, of.keys, of.input_types, self._accumulators.types, backend, of.state_id, clock
        )

    def hold(self, batch: Batch) -> tuple[pa.Array, ...]:
        """Return the accumulators of each session of `batch.found`, with the rows of the batch added.

        Accumulators of merged sessions are merged first, then the rows are added.
        """
        known = Accumulated(batch.found.of_open, batch.parts)
        return self._accumulators.add(known, batch.rows, batch.of_rows).parts

    def give(self, due: KeyedSessions, watermarks: AscendingWatermarks) -> pa.Table:
        at = np.searchsorted(watermarks.times, due.timers)
        order = stable_order_by(at, due.timers, due.starts)
        due, at = due.take(order), at[order]
        results = self._accumulators.results(due.parts, len(due))
        borders = window_columns(self._columns, due.starts, due.ends, self._windows.time, self._clock())
        fired = inserts(
            watermarks.sequences[at], watermarks.sub_sequence, [*due.keys, *results.columns, *borders]
        )
        return fired if results.there.all() else fired.filter(pa.array(results.there))


def build(spec: SessionWindowAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return SessionWindowAggregate(spec, state, clock)


def code(spec: SessionWindowAggregateSpec) -> Iterator[str]:
    yield f"-- WindowAggregate, sessions {spec.windows.gap} ms apart"
    yield generate(spec.aggregate).source.rstrip()
