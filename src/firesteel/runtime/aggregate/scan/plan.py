"""Choose the prefix scan of a GroupAggregate and run it over a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.kernels.prefix_scan import choose
from firesteel.kernels.types import given
from firesteel.runtime.aggregate.functions.declaration import Aggregate, Declared, Form
from firesteel.runtime.aggregate.functions.registry import declare
from firesteel.runtime.aggregate.row_engine.accumulator_state import AccumulatorState, Stored
from firesteel.runtime.aggregate.scan.column import (
    Column,
    Mask,
    NoPrefixScan,
    from_arrow,
    from_sortable_form,
    to_array,
)
from firesteel.runtime.aggregate.scan.distinct import DistinctBatch, distinct_batch
from firesteel.runtime.aggregate.scan.emit import Result, net_outcomes, outcomes
from firesteel.runtime.aggregate.scan.extreme import PrefixExtreme, plain_extreme
from firesteel.runtime.aggregate.scan.linear import prefix_fields
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.aggregate.scan.pairs import Pairs
from firesteel.runtime.aggregate.scan.retracted_extreme import RetractedExtreme
from firesteel.runtime.aggregate.scan.rows import Rows
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.aggregate.scan.value import evaluate
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types.sql import APPROXIMATE, BIGINT, NUMERIC

_MOST_DISTINCT = 62


@lru_cache(maxsize=64)
def plan(spec: GroupAggregateSpec) -> PrefixScanPlan | None:
    """Return the prefix scan of a GroupAggregate, None if a call has none."""
    aggregates = columnar_aggregates(spec)
    return None if aggregates is None else PrefixScanPlan(spec, aggregates)


def columnar_aggregates(spec: GroupAggregateSpec) -> tuple[Aggregate, ...] | None:
    """Return how each call of a GroupAggregate is computed, None if a call cannot be computed in columns.

    The result has one `Aggregate` for each of `spec.calls`: the fields of the call's accumulator, and how
    rows change them.
    """
    aggregates = tuple(declare(call) for call in spec.calls)
    if not all(map(_has_form, spec.calls, aggregates)):
        return None
    views = any(
        call.distinct or aggregate.views for call, aggregate in zip(spec.calls, aggregates, strict=True)
    )
    if (views and spec.ttl) or sum(call.distinct for call in spec.calls) > _MOST_DISTINCT:
        return None  # With a TTL, entries of map views expire one by one, as only the row handler supports.
    return aggregates


def distinct_groups(spec: GroupAggregateSpec) -> tuple[list[int], ...]:
    """Return groups of the DISTINCT calls with the same arguments, as indices into `spec.calls`.

    The calls of group i share the map view `seen<i>`.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for index, call in enumerate(spec.calls):
        if call.distinct:
            groups.setdefault(call.args, []).append(index)
    return tuple(groups.values())


def _has_form(call: AggregateSpec, aggregate: Aggregate) -> bool:
    if isinstance(aggregate, Declared) and aggregate.form is Form.LINEAR:
        return call.function == "COUNT" or call.arg_types[0].root in NUMERIC
    if call.distinct:
        return False
    return aggregate.form is Form.EXTREME or (call.retract and call.function in ("MIN", "MAX"))


@dataclass(frozen=True)
class PrefixScanBatch:
    """Results of a batch of n rows.

    Attributes:
        outcomes: uint8[n], outcome of each row in input order (emit.py).
        left: Indices of the input rows that are not processed: their keys need the row handler. Their outcome
            is NOTHING here.
    """

    outcomes: NDArray[np.uint8]
    left: Index
    _rows: Rows
    _results: list[Result]
    _lines: list[Column]

    def columns(self, origins: Index, old: Mask) -> list[pa.Array]:
        """Return the results for m output rows: one column for each call, with m rows.

        `origins` has the index of the input row that caused each output row. `old` is True for output rows
        that show the result before their input row (-U and -D).
        """
        place = np.empty(len(self._rows), np.int64)
        place[self._rows.keys.order] = np.arange(len(self._rows))
        index = np.empty(len(origins), np.int64)
        choose(index, *given(origins, old, place, self._rows.before))
        at = pa.array(index)
        return [r.array(line).take(at) for r, line in zip(self._results, self._lines, strict=True)]


class PrefixScanPlan:
    """Prefix scan of a GroupAggregate, created by `plan`."""

    def __init__(self, spec: GroupAggregateSpec, aggregates: tuple[Aggregate, ...]) -> None:
        self._spec = spec
        self._aggregates = aggregates
        self._distinct = distinct_groups(spec)

    def process(
        self, changes: pa.Table, keys: Keys, state: AccumulatorState, now: int
    ) -> PrefixScanBatch | None:
        """Process a batch and write its state.

        Returns:
            The results of the batch. None, with nothing written, if all keys need the row handler.
        """
        if not changes.num_rows:
            return None
        try:
            with np.errstate(over="ignore"):
                run = _Run(self._spec, changes, keys, state, now)
                return run.by_row(self._aggregates, self)
        except NoPrefixScan:
            return None

    def process_bundle(
        self, changes: pa.Table, keys: Keys, state: AccumulatorState, now: int
    ) -> NetChanges | None:
        """Process a bundle and write its state (Flink: MiniBatchGroupAggFunction).

        Returns:
            The net changes. None, with nothing written, if all keys need the row handler.
        """
        try:
            with np.errstate(over="ignore"):
                run = _Run(self._spec, changes, keys, state, now)
                return run.net(self._aggregates, self)
        except NoPrefixScan:
            return None

    @property
    def records(self) -> str | None:
        """Return the name of the accumulator field that counts the rows of a key, None if no field does."""
        return self._spec.records

    @property
    def distinct(self) -> tuple[list[int], ...]:
        """Return groups of the DISTINCT calls with the same arguments, as indices of calls."""
        return self._distinct


class _Run:
    """Run of the prefix scan over one batch."""

    def __init__(
        self, spec: GroupAggregateSpec, changes: pa.Table, keys: Keys, state: AccumulatorState, now: int
    ) -> None:
        self._spec, self._state, self._now = spec, state, now
        self._stored: Stored = state.load(keys, now)
        self._rows = Rows(spec, changes, keys, self._stored)
        self._pairs: dict[int, Pairs] = {}
        self._final: dict[str, pa.Array] = {}
        self._extremes: list[RetractedExtreme] = []

    def by_row(self, aggregates: tuple[Aggregate, ...], whole: PrefixScanPlan) -> PrefixScanBatch:
        """Return the outcomes and results of all rows, and write the state of the clean keys.

        `aggregates` has the declaration of each call. `whole` is the plan of this run.
        """
        rows = self._rows
        if whole.records is not None:
            rows.count_records(self._stored.fields[whole.records])
        elif self._spec.input_retracts:
            rows.sign = rows.signs()
        results, groups = self._results(aggregates, whole)
        lines = [result.line(rows) for result in results]
        by_key = outcomes(rows, results, lines)
        self._save(groups)
        by_row = np.empty_like(by_key)
        by_row[rows.keys.order] = by_key
        left = np.flatnonzero(~rows.clean[rows.keys.codes]) if not rows.clean.all() else np.zeros(0, np.int64)
        return PrefixScanBatch(by_row, left, rows, results, lines)

    def net(self, aggregates: tuple[Aggregate, ...], whole: PrefixScanPlan) -> NetChanges:
        """Return the net change of each key by the bundle, and write the state of the clean keys.

        `aggregates` has the declaration of each call. `whole` is the plan of this run.
        """
        rows, live = self._rows, np.ones(len(self._rows.keys), np.bool_)
        if whole.records is not None:
            rows.count_bundle(self._stored.fields[whole.records])
        results, groups = self._results(aggregates, whole)
        last = rows.ends - 1
        if rows.count is not None:
            live = rows.count[last] != 0
        changes = [(result.known, result.after.take(last)) for result in results]
        outcome = net_outcomes(self._stored.found, live, rows.clean, changes, bool(self._spec.ttl))
        self._save(groups)
        before = [result.array(known) for result, (known, _) in zip(results, changes, strict=True)]
        after = [result.array(value) for result, (_, value) in zip(results, changes, strict=True)]
        return NetChanges(outcome, before, after, rows.clean)

    def _results(
        self, aggregates: tuple[Aggregate, ...], whole: PrefixScanPlan
    ) -> tuple[list[Result], list[DistinctBatch]]:
        rows = self._rows
        groups = [self._follow(f"seen{i}", calls) for i, calls in enumerate(whole.distinct)]
        reach = {
            call: group.reach[i]
            for group, calls in zip(groups, whole.distinct, strict=True)
            for i, call in enumerate(calls)
        }
        results = [self._result(i, aggregate, reach.get(i)) for i, aggregate in enumerate(aggregates)]
        if whole.records is not None and rows.count is not None:
            self._keep(whole.records, to_array(Column(rows.count[rows.ends - 1]), BIGINT))
        return results, groups

    def _pairs_of(self, position: int) -> Pairs:
        if position not in self._pairs:
            rows = self._rows
            in_order = position in self._spec.sorted_arguments
            self._pairs[position] = Pairs(rows.keys, rows.keys.sorted_codes, rows.array(position), in_order)
        return self._pairs[position]

    def _follow(self, view: str, calls: list[int]) -> DistinctBatch:
        specs = [self._spec.calls[i] for i in calls]
        pairs = self._pairs_of(specs[0].args[0])
        return distinct_batch(self._rows, pairs, specs, self._state.maps[view], self._now)

    def _result(self, index: int, aggregate: Aggregate, reach: Mask | None) -> Result:
        call = self._spec.calls[index]
        if isinstance(aggregate, Declared) and aggregate.form is Form.LINEAR:
            return self._linear(index, call, aggregate, reach)
        return self._extreme(index, call, aggregate)

    def _linear(self, index: int, call: AggregateSpec, aggregate: Declared, reach: Mask | None) -> Result:
        rows = self._rows
        stored = self._fields(index, aggregate)
        if not call.distinct:
            reach = rows.passes(call.filter)
            null = rows.null(call.args[0]) if call.args else None
            reach = reach if null is None else (~null if reach is None else reach & ~null)
        fields = prefix_fields(rows, call, aggregate, reach, stored)
        for field in aggregate.fields:
            last = fields[field.name].take(rows.ends - 1)
            self._keep(f"{field.name}{index}", to_array(last, field.type))
        known = {field.name: from_arrow(stored[field.name], field.type) for field in aggregate.fields}
        return Result(
            evaluate(aggregate.value, fields),
            evaluate(aggregate.value, known),
            lambda column: to_array(column, call.type),
        )

    def _extreme(self, index: int, call: AggregateSpec, aggregate: Aggregate) -> Result:
        rows = self._rows
        stored = self._fields(index, aggregate)
        least = call.function == "MIN"
        if aggregate.form is Form.EXTREME:
            (name,) = (field.name for field in aggregate.fields)
            running = plain_extreme(rows, call, stored[name], least)
        else:
            name = "best"
            pairs = self._pairs_of(call.args[0])
            retracted = RetractedExtreme(
                rows, call, pairs, self._state.ordered(f"map{index}"), self._now, least
            )
            self._extremes.append(retracted)
            running = retracted.run(stored["best"], stored["size"], stored["unmatched"])
            self._keep(f"unmatched{index}", stored["unmatched"].fill_null(False))
        self._keep(f"{name}{index}", running.array(running.best.take(rows.ends - 1)))
        if running.size is not None:
            self._keep(f"size{index}", to_array(running.size.take(rows.ends - 1), BIGINT))
        return _extreme_result(call, running)

    def _fields(self, index: int, aggregate: Aggregate) -> Mapping[str, pa.Array]:
        return {field.name: self._stored.fields[f"{field.name}{index}"] for field in aggregate.fields}

    def _keep(self, name: str, column: pa.Array) -> None:
        self._final[name] = column

    def _save(self, groups: list[DistinctBatch]) -> None:
        rows = self._rows
        for group, view in zip(groups, (f"seen{i}" for i in range(len(groups))), strict=True):
            group.save(rows, self._state.maps[view], self._now)
        for extreme in self._extremes:
            extreme.save()
        live = np.ones(len(rows.keys), np.bool_)
        if rows.count is not None:
            live = rows.count[rows.ends - 1] != 0
        write = np.flatnonzero(rows.clean & (live | self._stored.found))
        at = None if len(write) == len(rows.keys) else pa.array(write)
        fields = {name: c if at is None else c.take(at) for name, c in self._final.items()}
        self._state.save(rows.keys, write, fields, self._now, live[write])


def _extreme_result(call: AggregateSpec, running: PrefixExtreme) -> Result:
    kind = call.arg_types[0]
    if running.size is None or kind.root not in APPROXIMATE:
        return Result(running.best, running.known, running.array)
    best = Column(from_sortable_form(running.best.values), running.best.null)
    known = Column(from_sortable_form(running.known.values), running.known.null)
    return Result(best, known, lambda column: to_array(column, kind))
