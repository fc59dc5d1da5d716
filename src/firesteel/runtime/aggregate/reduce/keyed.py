"""Merge the accumulators of a bundle into those in keyed state, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Aggregate, Declared, Form
from firesteel.runtime.aggregate.reduce.distinct_values import DistinctValues
from firesteel.runtime.aggregate.reduce.fields import extreme, total
from firesteel.runtime.aggregate.reduce.groups import Groups
from firesteel.runtime.aggregate.reduce.partial_accumulators import BundleAccumulators
from firesteel.runtime.aggregate.reduce.value_counts import ValueCounts
from firesteel.runtime.aggregate.row_engine.accumulator_state import AccumulatorState
from firesteel.runtime.aggregate.scan.column import Column, Mask, comparable, from_arrow, to_array
from firesteel.runtime.aggregate.scan.emit import net_outcomes
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.aggregate.scan.plan import distinct_groups
from firesteel.runtime.aggregate.scan.value import evaluate
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types.sql import APPROXIMATE, BIGINT


@dataclass(frozen=True)
class _Result:
    """Results of one call before and after a bundle, one for each of g keys.

    Each result has two forms: a number, to find out whether it has changed, and a value of an Arrow array,
    which is sent.

    Attributes:
        before: Stored results as numbers. Strings are ranks, and have equal ranks in `before` and `after`.
        after: Results after the bundle, as numbers.
        before_array: Stored results in the type of the call.
        after_array: Results after the bundle in the type of the call.
    """

    before: Column
    after: Column
    before_array: pa.Array
    after_array: pa.Array


class KeyedMerge:
    """Merge of the accumulators of one bundle into keyed state."""

    def __init__(
        self,
        spec: GroupAggregateSpec,
        aggregates: Sequence[Aggregate],
        state: AccumulatorState,
        keys: Keys,
        accumulators: BundleAccumulators,
        now: int,
    ) -> None:
        self._spec, self._aggregates, self._state, self._keys, self._now = spec, aggregates, state, keys, now
        self._accumulators = accumulators
        self._stored = state.load(keys, now)
        self._clean = np.ones(len(keys), np.bool_)
        self._single = Groups.single(len(keys))
        self._final: dict[str, pa.Array] = {}
        self._values: list[ValueCounts] = []

    def run(self, results: int) -> NetChanges:
        """Return the net changes of the bundle, and write the state of the clean keys.

        A clean key is processed in columns. The caller must process the other keys with the row handler: they
        are False in the result's `clean`.

        Args:
            results: Number of calls whose results are output.

        Raises:
            NoPrefixScan: The row handler is needed. Nothing was written.
        """
        distinct = [self._seen(i, group) for i, group in enumerate(distinct_groups(self._spec))]
        of_call = {i: (group, place) for group in distinct for place, i in enumerate(group.calls)}
        shown = []
        for index, (call, aggregate) in enumerate(zip(self._spec.calls, self._aggregates, strict=True)):
            if isinstance(aggregate, Declared) and aggregate.form is Form.LINEAR:
                if call.distinct:
                    group, place = of_call[index]
                    result = self._distinct(index, call, aggregate, group, place)
                else:
                    result = self._linear(index, call, aggregate)
            elif isinstance(aggregate, Declared):
                result = self._extreme(index, call, aggregate)
            else:
                result = self._retracted_extreme(index, call)
            if index < results:
                shown.append(result)
        live = self._live()
        self._save(live, distinct)
        before, after = [r.before_array for r in shown], [r.after_array for r in shown]
        return NetChanges(self._outcomes(live, shown), before, after, self._clean)

    def _seen(self, index: int, calls: list[int]) -> DistinctValues:
        name = f"seen{index}"
        state = self._state.maps[name]
        return DistinctValues(self._keys, self._accumulators.maps[name], state, self._spec, calls, self._now)

    def _linear(self, index: int, call: AggregateSpec, aggregate: Declared) -> _Result:
        fields = {}
        for part in aggregate.fields:
            added = from_arrow(self._accumulators.fields[f"{part.name}{index}"], part.type)
            reach = None if added.null is None else ~added.null
            begin = self._begin(index, part)
            if part.initial is not None and added.null is not None:
                self._clean &= ~added.null
            fields[part.name] = total(part, self._single, added, reach, None, begin)
        return self._evaluated(index, call, aggregate, fields)

    def _distinct(
        self, index: int, call: AggregateSpec, aggregate: Declared, distinct: DistinctValues, place: int
    ) -> _Result:
        begin = {part.name: self._begin(index, part) for part in aggregate.fields}
        return self._evaluated(index, call, aggregate, distinct.fields(aggregate, place, begin))

    def _begin(self, index: int, part: AccumulatorField) -> Column:
        """Return the field `part` of call `index` for each key, as stored before the bundle.

        A sum that starts at 0 is NULL only if it has overflowed. It then has to stay NULL. Keys with such a
        sum are left to the row handler, so they are removed from the clean keys.
        """
        begin = from_arrow(self._stored.fields[f"{part.name}{index}"], part.type)
        if part.initial is not None and begin.null is not None:
            self._clean &= ~(begin.null & self._stored.found)
        return begin

    def _evaluated(
        self, index: int, call: AggregateSpec, aggregate: Declared, fields: dict[str, Column]
    ) -> _Result:
        known = {}
        for part in aggregate.fields:
            name = f"{part.name}{index}"
            self._final[name] = to_array(fields[part.name], part.type)
            known[part.name] = from_arrow(self._stored.fields[name], part.type)
        before, after = evaluate(aggregate.value, known), evaluate(aggregate.value, fields)
        return _Result(before, after, to_array(before, call.type), to_array(after, call.type))

    def _extreme(self, index: int, call: AggregateSpec, aggregate: Declared) -> _Result:
        (part,) = aggregate.fields
        name, kind, ranks = f"{part.name}{index}", call.arg_types[0], None
        added, stored = self._accumulators.fields[name], self._stored.fields[name]
        if kind.root in APPROXIMATE:
            values, known = from_arrow(added, kind), from_arrow(stored, kind)
        else:
            (values, known), ranks = comparable([added, stored], kind)
        best = extreme(self._single, values, None, aggregate.least, known)
        self._final[name] = to_array(best, kind) if ranks is None else ranks.strings(best)
        return _Result(known, best, stored, self._final[name])

    def _retracted_extreme(self, index: int, call: AggregateSpec) -> _Result:
        stored = {name: self._stored.fields[f"{name}{index}"] for name in ("best", "size", "unmatched")}
        name = f"map{index}"
        values = ValueCounts(
            self._keys, call, self._accumulators.maps[name], self._state.ordered(name), self._now
        )
        self._values.append(values)
        best = values.merge(stored, self._stored.found, self._clean)
        self._final[f"best{index}"] = best.final
        self._final[f"size{index}"] = to_array(Column(values.size), BIGINT)
        self._final[f"unmatched{index}"] = stored["unmatched"].fill_null(False)
        return _Result(best.known, best.best, best.known_array, best.best_array)

    def _live(self) -> Mask:
        """Return whether each key has rows after the bundle. Over insert-only input, all keys have rows."""
        name = self._spec.records
        if name is None:
            return np.ones(len(self._keys), np.bool_)
        if name not in self._final:  # No call of the query has this field: it is a hidden count of the rows.
            begin = self._stored.fields[name].fill_null(0).to_numpy(zero_copy_only=False)
            counted = begin + self._accumulators.fields[name].to_numpy(zero_copy_only=False)
            self._final[name] = pa.array(counted)
        live: Mask = self._final[name].to_numpy(zero_copy_only=False) != 0
        return live

    def _outcomes(self, live: Mask, shown: Sequence[_Result]) -> NDArray[np.uint8]:
        results = [(result.before, result.after) for result in shown]
        return net_outcomes(self._stored.found, live, self._clean, results, bool(self._spec.ttl))

    def _save(self, live: Mask, distinct: Sequence[DistinctValues]) -> None:
        found = self._stored.found
        keep, gone = self._clean & (live | found), np.flatnonzero(self._clean & found & ~live)
        for group in distinct:
            group.save(keep, gone)
        for values in self._values:
            values.save(keep, gone)
        write = np.flatnonzero(keep)
        at = None if len(write) == len(self._keys) else pa.array(write)
        fields = {name: column if at is None else column.take(at) for name, column in self._final.items()}
        self._state.save(self._keys, write, fields, self._now, live[write])
