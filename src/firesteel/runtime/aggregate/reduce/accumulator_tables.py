"""Tables of accumulators (columns.py): create them from rows, merge them, and compute their results.

All steps run in columns if every call has a columnar form, otherwise in the generated row handler.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, Declared, Form
from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns
from firesteel.runtime.aggregate.reduce.groups import Ranges
from firesteel.runtime.aggregate.reduce.keyed import KeyedMerge
from firesteel.runtime.aggregate.reduce.partial_accumulators import (
    BundleAccumulators,
    continued,
    lift,
    merge,
    merged_field,
)
from firesteel.runtime.aggregate.reduce.row_fallback import HandlerInputs
from firesteel.runtime.aggregate.row_engine.accumulator_state import AccumulatorState
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.aggregate.row_engine.row_loop import no_collections
from firesteel.runtime.aggregate.scan.column import Mask, NoPrefixScan, from_arrow, to_array
from firesteel.runtime.aggregate.scan.plan import columnar_aggregates
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.aggregate.scan.value import evaluate
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.internal_values import from_list, one_chunk


@dataclass(frozen=True)
class Results:
    """Results of g accumulators.

    Attributes:
        there: bool[g], whether each accumulator has rows. If False, all its rows were retracted, and the
            values in `columns` are arbitrary.
        columns: One column of results for each call that is output, g rows each.
    """

    there: Mask
    columns: list[pa.Array]


class AccumulatorTables:
    """Operations on tables of accumulators.

    A table has one row for each accumulator. Its columns f0, f1, ... are the key fields, then the parts of
    the accumulator (fields and map views).

    Args:
        spec: Keys and calls.
        results: Number of calls whose results are output.
        columnar: False processes everything with the row handler.
    """

    def __init__(self, spec: GroupAggregateSpec, results: int, columnar: bool = True) -> None:
        self._spec = spec
        self._results = results
        self._generated = generate(spec)
        self._handler, self._other = self._generated.create(), self._generated.create()
        self._aggregates = columnar_aggregates(spec) if columnar else None
        self.columns = AccumulatorColumns.of(spec)
        self.in_columns = self._aggregates is not None
        if not self.in_columns:
            # `AccumulatorColumns.of` leaves out parts of accumulators that a merge can compute, such as the
            # sum of a SUM(DISTINCT), which it computes from the values. But calls of user-defined functions
            # without `merge` cannot be merged. So tables for the row handler have all parts.
            self.columns = replace(self.columns, slots=self._generated.slots)

    @property
    def schema(self) -> pa.Schema:
        """Return the schema of the tables."""
        fields = list(self.columns.schema())[2:]
        return pa.schema(fields)

    def keys_of(self, table: pa.Table) -> Keys:
        """Return the keys of a table of accumulators."""
        return find_keys([table.column(field(i)) for i in self.columns.keys], table.num_rows)

    def of_rows(self, changes: pa.Table, keys: Keys) -> pa.Table:
        """Return a table with a new accumulator for each key, made from its rows in `changes`."""
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    accumulators = lift(self._spec, self._aggregates, changes, keys)
                    return self._table(keys, accumulators.columns(self.columns.slots, np.arange(len(keys))))
            except NoPrefixScan:
                pass
        return self.onto(changes, keys, [None] * len(keys))

    def onto(self, changes: pa.Table, keys: Keys, begin: Sequence[tuple[Any, ...] | None]) -> pa.Table:
        """Return a table of the accumulators of the keys after the row handler added their rows.

        `begin` has, for each key, the accumulator before its rows. None starts a new accumulator.
        """
        handler = self._handler
        inputs = HandlerInputs(self._spec, self._generated, changes, keys)
        rows = zip(inputs.retracts, inputs.rows, strict=True)
        accs = []
        with no_collections():
            for count, acc in zip(keys.counts.tolist(), begin, strict=True):
                handler.set_accumulators(handler.create_accumulators() if acc is None else acc)
                for retracts, row in islice(rows, count):
                    (handler.retract if retracts else handler.accumulate)(*row)
                accs.append(handler.get_accumulators())
        return self._table(keys, self.columns.from_rows(accs, self._generated.slots))

    def added(self, changes: pa.Table, keys: Keys, known: pa.Table, place: Index) -> pa.Table:
        """Return a table with one accumulator for each key: that in `known`, or a new one, plus its rows.

        The accumulators are those of adding the rows one by one.

        Args:
            changes: The rows.
            keys: The g keys of the rows.
            known: Table of accumulators to which rows are added. It may have rows of other keys.
            place: int64[g], position in `known` of each key's accumulator, -1 for none.
        """
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    return self._added(self._aggregates, changes, keys, known, place)
            except NoPrefixScan:
                pass
        stored = list(self.tuples(known))
        return self.onto(changes, keys, [None if at < 0 else stored[at] for at in place.tolist()])

    def _added(
        self, aggregates: Sequence[Aggregate], changes: pa.Table, keys: Keys, known: pa.Table, place: Index
    ) -> pa.Table:
        """Add rows to the accumulators of `known`, in columns. Arguments and result are those of `added`.

        The rows are reduced to new accumulators, which are merged into those of `known`. But a floating-point
        sum depends on the order of additions. So for such sums, the rows are added one by one to the sums in
        `known`.
        """
        more = self._table(
            keys,
            lift(self._spec, aggregates, changes, keys).columns(self.columns.slots, np.arange(len(keys))),
        )
        here = np.flatnonzero(place >= 0)
        mine = pa.array(place[here])
        parts = [one_chunk(column).take(mine) for column in known.columns[self._width :]]
        old = pa.Table.from_arrays(
            [*(k.take(pa.array(here)) for k in keys.columns), *parts], schema=more.schema
        )
        both = pa.concat_tables([old, more])
        owners = np.concatenate([here, np.arange(len(keys))])
        order = np.argsort(owners, kind="stable")
        starts = np.flatnonzero(np.diff(owners[order], prepend=-1))
        merged = merge(self.columns, self._spec, aggregates, both, replace(keys, order=order, starts=starts))
        begin = pa.array(place, mask=place < 0)
        stored = {
            slot.name: self._part(known, slot.name).take(begin)
            for slot in self.columns.slots
            if isinstance(slot.kind, AccumulatorField)
        }
        merged.fields |= continued(self._spec, aggregates, changes, keys, stored)
        return self._table(keys, merged.columns(self.columns.slots, np.arange(len(keys))))

    @property
    def _width(self) -> int:
        return len(self.columns.keys)

    def merged(self, table: pa.Table, keys: Keys) -> pa.Table:
        """Return a table with one accumulator for each key, merged from those in `table` in their order."""
        if len(keys) == keys.rows:
            return table.take(pa.array(keys.order))
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    accumulators = merge(self.columns, self._spec, self._aggregates, table, keys)
                    return self._table(keys, accumulators.columns(self.columns.slots, np.arange(len(keys))))
            except NoPrefixScan:
                pass
        handler, others = self._handler, self.tuples(table.take(pa.array(keys.order)))
        accs = []
        with no_collections():
            for count in keys.counts.tolist():
                handler.set_accumulators(next(others))
                for other in islice(others, count - 1):
                    handler.merge(other)
                accs.append(handler.get_accumulators())
        return self._table(keys, self.columns.from_rows(accs, self._generated.slots))

    def of_ranges(self, table: pa.Table, starts: Index, ends: Index) -> list[pa.Array] | None:
        """Merge the accumulators in each range of rows starts[i]:ends[i] of `table`. Ranges may overlap.

        Return one column for each accumulator field, with one row for each range. None if there are no
        ranges, or if they cannot be merged in columns. The caller then merges each range with `merged`.
        """
        if not self.is_plain or not len(starts):
            return None
        ranges = Ranges(starts, ends, table.num_rows)
        try:
            with np.errstate(over="ignore"):
                return [
                    merged_field(slot.kind, self._declared(slot), ranges, self._part(table, slot.name))
                    for slot in self.columns.slots
                    if isinstance(slot.kind, AccumulatorField)
                ]
        except NoPrefixScan:
            return None

    def tuples(self, table: pa.Table) -> Iterator[tuple[Any, ...]]:
        """Yield the accumulators of a table as tuples for the row handler, with all their parts."""
        found = self.columns.to_rows(table, self._generated.slots)
        if self.in_columns:
            # The table has only the parts that a merge reads. For example, it has no sum of a SUM(DISTINCT).
            # A merge into an empty accumulator computes the missing parts.
            return map(self._completed, found)
        return found

    def results(self, table: pa.Table) -> Results:
        """Return the results of accumulators, one row for each row of `table`."""
        if self._aggregates is not None:
            try:
                with np.errstate(over="ignore"):
                    found = self._evaluated(table) if self.is_plain else self._counted(table)
                if found is not None:
                    return found
            except NoPrefixScan:
                pass
        return self._by_row(table)

    @property
    def is_plain(self) -> bool:
        """Return whether all results are computed in columns, from fields and without map views."""
        if self._aggregates is None:
            return False
        declared = all(isinstance(each, Declared) for each in self._aggregates)
        return declared and not any(call.distinct for call in self._spec.calls)

    def _evaluated(self, table: pa.Table) -> Results:
        columns = []
        for index, call in enumerate(self._spec.calls[: self._results]):
            aggregate = self._aggregates[index] if self._aggregates else None
            assert isinstance(aggregate, Declared)
            if aggregate.form is Form.EXTREME:
                columns.append(self._part(table, f"{aggregate.fields[0].name}{index}"))
                continue
            fields = {
                part.name: from_arrow(self._part(table, f"{part.name}{index}"), part.type)
                for part in aggregate.fields
            }
            columns.append(to_array(evaluate(aggregate.value, fields), call.type))
        return Results(self._there(table), columns)

    def _counted(self, table: pa.Table) -> Results | None:
        """Return the results of accumulators that have maps of values, for example for DISTINCT.

        The accumulators are merged into an empty state in memory, which computes their results. None if a
        key cannot be merged in columns: the row handler then computes all results.
        """
        assert self._aggregates is not None
        keys = self.keys_of(table)
        accumulators: BundleAccumulators = merge(self.columns, self._spec, self._aggregates, table, keys)
        state = AccumulatorState(self._spec, self._generated.slots, memory_backend())
        net = KeyedMerge(self._spec, self._aggregates, state, keys, accumulators, 0).run(self._results)
        if not net.clean.all():
            return None
        back = pa.array(keys.codes)
        return Results(self._there(table), [column.take(back) for column in net.after])

    def _by_row(self, table: pa.Table) -> Results:
        handler = self._handler
        rows, there = [], np.ones(table.num_rows, np.bool_)
        records = self._spec.records
        at = None if records is None else [slot.name for slot in self._generated.slots].index(records)
        with no_collections():
            for index, acc in enumerate(self.tuples(table)):
                handler.set_accumulators(acc)
                rows.append(handler.get_value()[: self._results])
                there[index] = at is None or acc[at] != 0
        calls = self._spec.calls[: self._results]
        columns = [from_list([row[i] for row in rows], call.type) for i, call in enumerate(calls)]
        return Results(there, columns)

    def _there(self, table: pa.Table) -> Mask:
        if self._spec.records is None:
            return np.ones(table.num_rows, np.bool_)
        counted: Mask = self._part(table, self._spec.records).to_numpy(zero_copy_only=False) != 0
        return counted

    def _declared(self, slot: Slot) -> Declared | None:
        """Return the declaration of the aggregate call whose accumulator has the part `slot`.

        None if the call is not declared by expressions, or if the part is the hidden count of records.
        """
        if self._aggregates is None or slot.call >= len(self._aggregates):
            return None
        aggregate = self._aggregates[slot.call]
        return aggregate if isinstance(aggregate, Declared) else None

    def _part(self, table: pa.Table, name: str) -> pa.Array:
        slot = next(slot for slot in self.columns.slots if slot.name == name)
        return one_chunk(table.column(field(self.columns.position(slot))))

    def _completed(self, acc: tuple[Any, ...]) -> tuple[Any, ...]:
        self._other.reset_accumulators()
        self._other.merge(acc)
        made: tuple[Any, ...] = self._other.get_accumulators()
        return made

    def _table(self, keys: Keys, parts: Sequence[pa.Array]) -> pa.Table:
        return pa.Table.from_arrays([*keys.columns, *parts], names=self.schema.names)
