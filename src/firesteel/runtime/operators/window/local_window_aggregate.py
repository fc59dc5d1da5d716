"""LocalWindowAggregate: reduce rows to accumulators by key and slice, before the exchange.

Flink: LocalSlicingWindowAggOperator. It has no state. It drops no late rows: the operator after the exchange
does. Rows of a table are reduced together as long as no watermark between them ends a window of their
slice. The accumulator has the sequence of the last row, which is before that watermark. If nearly every row
has its own key and slice, each row becomes an accumulator.

In some time zones, Flink's local operator buffers rows beyond the end of their windows
(runtime/operators/window/slicing/buffer_flush.py). Then rows are sent when Flink sends them, late or not:
with the watermark that flushes Flink's buffer, or at the end of a micro-batch, which is a checkpoint. A
micro-batch begins without earlier rows and watermarks, like Flink after a restart.

Rows are also sent when Flink sends them if the input has retractions and a call has no columnar form. The
accumulator of such a call depends on which rows are reduced together, and these must be the rows that Flink
reduces together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.runtime.aggregate.reduce.accumulator_tables import AccumulatorTables
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.columns.keys import Keys, find_keys, find_keys_if_shared
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    LAST_SEQUENCE,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.sequence import Numbers, derived, in_order, sequences
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.operators.window.slicing.buffer_flush import BufferFlushes, may_delay
from firesteel.runtime.operators.window.slicing.slices import NONE_FIRED, Slices, row_ends
from firesteel.runtime.spec.window import LocalWindowAggregateSpec, sliced
from firesteel.runtime.state.base import StateBackend
from firesteel.types.internal_values import one_chunk

_NO_WATERMARKS: Numbers = np.zeros(0, np.int64)


class LocalWindowAggregate(Operator):
    """Operator that sends one accumulator for each key and slice. The slice's end is the last key column.

    The format of accumulators is that of runtime/aggregate/reduce/accumulator_tables.py.
    """

    def __init__(self, spec: LocalWindowAggregateSpec, columnar: bool = True) -> None:
        self._spec = spec
        self._aggregate = sliced(spec.aggregate)
        self._slices = Slices.of(spec)
        self._partials = AccumulatorTables(self._aggregate, len(spec.aggregate.calls), columnar)
        by_row = spec.aggregate.input_retracts and not self._partials.in_columns
        waits = may_delay(self._slices) or by_row
        self._flushes = BufferFlushes(self._slices, 0) if waits else None
        self._held = self._partials.schema.empty_table()
        self._seen = BEFORE_ALL  # the sequence of the last row or watermark
        self._width = len(self._partials.columns.keys)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        if self._flushes is not None:
            self._flushed(WatermarkedBatch(table, _NO_WATERMARKS, _NO_WATERMARKS), self._flushes)
            return ()
        return (self._reduced(table, np.full(table.num_rows, NONE_FIRED)),) if table.num_rows else ()

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        if self._flushes is not None:
            watermarks = WatermarkedBatch(
                self._none, np.array([watermark.time]), np.array([watermark.sequence]), watermark.sub_sequence
            )
            out = self._flushed(watermarks, self._flushes)
            yield from (out,) if out.num_rows else ()
        yield watermark

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        if self._flushes is not None:
            return (rows.with_rows(self._flushed(rows, self._flushes)),)
        if not rows.table.num_rows:
            return (rows.with_rows(self._none),)
        fired = np.maximum.accumulate(self._slices.fired(rows.times))
        counts = np.diff(rows.at, prepend=0, append=rows.table.num_rows)
        return (rows.with_rows(self._reduced(rows.table, np.repeat(np.append(NONE_FIRED, fired), counts))),)

    def barrier(self) -> Iterable[Message]:
        if self._held.num_rows:
            after = min(self._seen + 1, LAST_SEQUENCE)
            yield inserts(np.full(self._held.num_rows, after), 0, self._held.columns)
            self._held = self._partials.schema.empty_table()
        if self._flushes is not None:
            self._flushes.clear()

    @cached_property
    def _none(self) -> pa.Table:
        """Return an empty table."""
        empty = self._partials.schema.empty_table()
        return empty.add_column(0, SEQUENCE, pa.array([], pa.int64())).add_column(
            0, KIND, pa.array([], pa.int8())
        )

    def _reduced(self, table: pa.Table, fired: Numbers) -> pa.Table:
        """Return the accumulators of n rows as a changes table.

        Args:
            table: The rows.
            fired: int64[n], end of the last windows that had fired when each row came.
        """
        ends = row_ends(table, self._spec, self._slices)
        keys, parts, _ = self._accumulated(table, ends, self._slices.first_unfired(ends, fired), True)
        last = keys.order[keys.starts + keys.counts - 1]
        kinds = pa.array(np.full(len(keys), RowKind.INSERT, np.int8))
        return in_order(derived(table, last, kinds, map(one_chunk, parts.columns)))

    def _flushed(self, rows: WatermarkedBatch, flushes: BufferFlushes) -> pa.Table:
        """Buffer new rows. Return the accumulators that watermarks flush, with the watermarks' sequences."""
        some = rows.table.num_rows > 0
        self._seen = int(max([self._seen, *rows.sequences[-1:], *sequences(rows.table)[-1:]]))
        ends = row_ends(rows.table, self._spec, self._slices) if some else _NO_WATERMARKS
        flushed = flushes.of(np.maximum.accumulate(rows.times), rows.at, ends)
        held, by = self._held, np.full(self._held.num_rows, flushed.held)
        if some:
            _, parts, more = self._accumulated(rows.table, ends, flushed.rows)
            held, by = pa.concat_tables([held, parts]), np.append(by, more)
        keys = find_keys([*(held.column(i) for i in range(self._width)), pa.array(by)], held.num_rows)
        whole = self._partials.merged(held, replace(keys, columns=keys.columns[:-1]))
        by = keys.columns[-1].to_numpy()
        self._held = whole.filter(pa.array(by == len(rows.times)))
        order = np.argsort(by, kind="stable")[: int(np.count_nonzero(by < len(rows.times)))]
        return inserts(rows.sequences[by[order]], rows.sub_sequence, whole.take(pa.array(order)).columns)

    def _accumulated(
        self, table: pa.Table, ends: Numbers, parts: Numbers, as_they_are: bool = False
    ) -> tuple[Keys, pa.Table, Numbers]:
        """Reduce rows by key, slice and a part number.

        Args:
            table: n rows.
            ends: int64[n], end of each row's slice.
            parts: int64[n], part number of each row. Rows of different parts are not reduced together.
            as_they_are: Whether each row may become an accumulator, if few rows share a key, slice and part.

        Returns:
            The keys, the accumulators, and the part number of each accumulator.
        """
        rows = table.append_column(field(len(self._spec.aggregate.input_types)), pa.array(ends))
        names = [rows.column(field(i)) for i in self._aggregate.keys]
        find = find_keys_if_shared if as_they_are and self._partials.is_plain else find_keys
        keys = find([*names, pa.array(parts)], rows.num_rows)
        which: Numbers = keys.columns[-1].to_numpy()
        keys = replace(keys, columns=keys.columns[:-1])
        return keys, self._partials.of_rows(rows, keys), which


def build(spec: LocalWindowAggregateSpec, state: StateBackend | None, clock: Clock) -> LocalWindowAggregate:
    return LocalWindowAggregate(spec)


def code(spec: LocalWindowAggregateSpec) -> Iterator[str]:
    yield f"-- LocalWindowAggregate, {spec.windows.function} of {spec.windows.size} ms"
    yield generate(sliced(spec.aggregate)).source.rstrip()
