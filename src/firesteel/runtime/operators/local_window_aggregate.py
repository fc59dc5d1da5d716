"""LocalWindowAggregate: rows to accumulators by key and slice, where the rows are. Flink:
LocalSlicingWindowAggOperator.

It keeps nothing and drops nothing: what is late is known behind the exchange. Rows of a table are reduced
together as long as no watermark between them ends a window of their slice; what they come to has the order of
the last of them, which is before that watermark. Where most rows have a key and slice of their own they go on
as they are, each as an accumulator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.runtime.bundles.partials import Partials
from firesteel.runtime.handler import generate
from firesteel.runtime.keys import find_keys, find_keys_if_shared
from firesteel.runtime.operators.base import Clock, Marked, Message, Operator
from firesteel.runtime.orders import Numbers, caused, in_order
from firesteel.runtime.spec import KIND, ORDER, field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.values import one_chunk
from firesteel.runtime.window_spec import LocalWindowAggregateSpec, sliced
from firesteel.runtime.windows.slices import NONE_FIRED, Slices, row_ends


class LocalWindowAggregate(Operator):
    """Rows of accumulators (bundles/partials.py), the slice's end behind the group's keys."""

    def __init__(self, spec: LocalWindowAggregateSpec, columnar: bool = True) -> None:
        self._spec = spec
        self._aggregate = sliced(spec.aggregate)
        self._slices = Slices.of(spec)
        self._partials = Partials(self._aggregate, len(spec.aggregate.calls), columnar)

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        return (self._reduced(table, np.full(table.num_rows, NONE_FIRED)),) if table.num_rows else ()

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        if not rows.table.num_rows:
            return (rows.with_rows(self._none),)
        fired = np.maximum.accumulate(self._slices.fired(rows.times))
        counts = np.diff(rows.at, prepend=0, append=rows.table.num_rows)
        return (rows.with_rows(self._reduced(rows.table, np.repeat(np.append(NONE_FIRED, fired), counts))),)

    @cached_property
    def _none(self) -> pa.Table:
        """No rows."""
        empty = self._partials.schema.empty_table()
        return empty.add_column(0, ORDER, pa.array([], pa.int64())).add_column(
            0, KIND, pa.array([], pa.int8())
        )

    def _reduced(self, table: pa.Table, fired: Numbers) -> pa.Table:
        """fired: for each row, up to which end windows have fired by the watermarks of this table."""
        ends = row_ends(table, self._spec, self._slices)
        rows = table.append_column(field(len(self._spec.aggregate.input_types)), pa.array(ends))
        names = [rows.column(field(i)) for i in self._aggregate.keys]
        find = find_keys_if_shared if self._partials.is_plain else find_keys
        keys = find([*names, pa.array(self._slices.first_unfired(ends, fired))], rows.num_rows)
        keys = replace(keys, columns=keys.columns[:-1])
        parts = self._partials.of_rows(rows, keys)
        last = keys.order[keys.starts + keys.counts - 1]
        kinds = pa.array(np.full(len(keys), RowKind.INSERT, np.int8))
        return in_order(caused(table, last, kinds, map(one_chunk, parts.columns)))


def build(spec: LocalWindowAggregateSpec, state: StateBackend | None, clock: Clock) -> LocalWindowAggregate:
    return LocalWindowAggregate(spec)


def code(spec: LocalWindowAggregateSpec) -> Iterator[str]:
    yield f"-- LocalWindowAggregate, {spec.windows.function} of {spec.windows.size} ms"
    yield generate(sliced(spec.aggregate)).source.rstrip()
