"""IncrementalGroupAggregate: turn accumulators by partial key into increments for the final keys.

Flink: MiniBatchIncrementalGroupAggFunction. To divide the work of DISTINCT among tasks, values are divided
into buckets by their hash. A partial key is a final key (that of GROUP BY) and a bucket. An increment is an
accumulator of a final key for one bundle, which the global phase merges into its state.

The state holds only the values that DISTINCT calls have seen, by partial key. Each value that enters or
leaves the state changes the increment. Accumulators of other calls are merged and passed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.aggregate.functions.declaration import Declared, MapView
from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns
from firesteel.runtime.aggregate.reduce.distinct_values import DistinctValues
from firesteel.runtime.aggregate.reduce.partial_accumulators import BundleAccumulators, merge, regroup
from firesteel.runtime.aggregate.row_engine.accumulator_state import AccumulatorState
from firesteel.runtime.aggregate.row_engine.accumulators import stored_maps, write_maps
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.row_engine.row_loop import no_collections
from firesteel.runtime.aggregate.scan.column import NoPrefixScan, to_array
from firesteel.runtime.aggregate.scan.plan import columnar_aggregates, distinct_groups
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.dataflow.operator import Clock, Operator
from firesteel.runtime.dataflow.sequence import ranks
from firesteel.runtime.operators.group.map_bundle import bundled
from firesteel.runtime.spec.operators import IncrementalGroupAggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend


class IncrementalGroupAggregate:
    """Incremental phase as a BundleFunction (map_bundle.py).

    Args:
        spec: Settings.
        state: State of the operator. None keeps the values in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self,
        spec: IncrementalGroupAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        self._spec = aggregate = spec.aggregate
        self._aggregates = columnar_aggregates(aggregate) if columnar else None
        self._clock = clock
        self._final_keys = spec.final_keys
        self._columns = AccumulatorColumns.of(aggregate)
        self._increments = AccumulatorColumns.increments(aggregate, spec.final_keys)
        self._expiry = Expiry(aggregate.ttl)
        generated = generate(aggregate)
        self._slots = generated.slots
        self._seen = [i for i, slot in enumerate(self._slots) if slot.call < 0]
        self._state = AccumulatorState(aggregate, self._slots, state or memory_backend())
        self._handler = generated.create(self._expiry)

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return one row for each final key, with the sequence and sub-sequence of the key's last row."""
        self._expiry.now = self._clock()
        partial = find_keys([changes.column(field(i)) for i in self._columns.keys], changes.num_rows)
        last = partial.order[partial.starts + partial.counts - 1]
        came = ranks(changes)[last]
        final = find_keys([partial.columns[i] for i in self._final_keys], len(partial))
        parts = self._in_columns(changes, partial, final)
        if parts is None:
            with no_collections():
                accs = self._merged(changes, partial, final, self._places(partial, final, came))
            parts = self._increments.from_rows(accs, self._slots)
        newest = np.lexsort((came, final.codes))[final.starts + final.counts - 1]
        return self._increments.table(changes, last[newest], final.columns, parts)

    def _in_columns(self, changes: pa.Table, partial: Keys, final: Keys) -> list[pa.Array] | None:
        """Return the columns of the increments, one row for each final key, and write the state.

        Return None and write nothing if the row handler must create them.
        """
        if self._aggregates is None:
            return None
        try:
            with np.errstate(over="ignore"):
                accumulators = merge(self._columns, self._spec, self._aggregates, changes, partial)
                distinct = self._count_seen(accumulators, partial)
                parts = regroup(self._increments, self._spec, self._aggregates, accumulators, final)
        except NoPrefixScan:
            return None
        for view in distinct:
            view.save(np.ones(len(partial), np.bool_), np.zeros(0, np.int64))
        return parts

    def _count_seen(self, accumulators: BundleAccumulators, partial: Keys) -> list[DistinctValues]:
        """Compute the fields of the DISTINCT calls, such as counts, and add them to `accumulators`.

        They are computed from the values that the bundle adds to the state or removes from it.

        Returns:
            For each DISTINCT argument the values that its calls have seen. The caller saves them.
        """
        assert self._aggregates is not None
        views = []
        for index, calls in enumerate(distinct_groups(self._spec)):
            name = f"seen{index}"
            view = DistinctValues(
                partial, accumulators.maps[name], self._state.maps[name], self._spec, calls, self._expiry.now
            )
            for place, call in enumerate(calls):
                aggregate = self._aggregates[call]
                assert isinstance(aggregate, Declared)
                fields = view.fields(aggregate, place, None)
                for part in aggregate.fields:
                    accumulators.fields[f"{part.name}{call}"] = to_array(fields[part.name], part.type)
            views.append(view)
        return views

    def _places(self, partial: Keys, final: Keys, came: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the indices of m partial keys, int64[m], sorted by final key.

        The partial keys of a final key have the order in which their accumulators are merged: that of Flink's
        HashMap if `map_order` is set in the spec (map_order.py), else that of their indices.

        `came`: int64[m], a number for each partial key. The numbers ascend like the sequences and
        sub-sequences of the keys' last rows. They order partial keys that share a bucket of the HashMap.
        """
        if not self._spec.map_order:
            return final.order
        from firesteel.runtime.aggregate.reduce.map_order import inner_places

        return inner_places(partial, [self._spec.input_types[i] for i in self._spec.keys], final, came)

    def _merged(
        self, changes: pa.Table, partial: Keys, final: Keys, order: NDArray[np.int64]
    ) -> list[tuple[Any, ...]]:
        """Return an accumulator for each final key, and write the values of DISTINCT calls to the state.

        Args:
            changes: Partial accumulators.
            partial: The partial keys.
            final: The final keys.
            order: Indices of the partial keys, sorted by final key. The accumulators of the partial keys are
                merged in this order.
        """
        ordered = changes.take(pa.array(partial.order))
        bundles = self._bundles(ordered, partial)
        views = {i: self._load(i, ordered, partial) for i in self._seen}
        handler, accs = self._handler, []
        members = iter(order.tolist())
        for count in final.counts.tolist():
            acc = list(handler.create_accumulators())
            for member in islice(members, count):
                for i, maps in views.items():
                    acc[i] = maps[member]
                handler.set_accumulators(tuple(acc))
                handler.merge(bundles[member])
                acc = list(handler.get_accumulators())
            accs.append(tuple(acc))
        owners = np.arange(len(partial))
        for i, maps in views.items():
            slot = self._slots[i]
            assert isinstance(slot.kind, MapView)
            known = np.ones(len(partial), np.bool_)
            write_maps(self._state.maps[slot.name], slot.kind, partial, owners, maps, known, self._expiry.now)
        return accs

    def _bundles(self, ordered: pa.Table, partial: Keys) -> list[Any]:
        """Merge the accumulators of each partial key (final key and bucket).

        `ordered` has the accumulators to merge, sorted by partial key. Return one merged accumulator for each
        partial key, in the order of the keys' indices.
        """
        rows, handler, bundles = self._columns.to_rows(ordered, self._slots), self._handler, []
        for count in partial.counts.tolist():
            handler.reset_accumulators()
            for other in islice(rows, count):
                handler.merge(other)
            bundles.append(handler.get_accumulators())
        return bundles

    def _load(self, index: int, ordered: pa.Table, partial: Keys) -> list[Any]:
        slot = self._slots[index]
        assert isinstance(slot.kind, MapView)
        known: NDArray[np.bool_] = np.ones(len(partial), np.bool_)
        lists = one_array(ordered.column(field(self._columns.position(slot))))
        lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
        named = np.repeat(partial.sorted_codes, lengths), lists.flatten().field(0)
        return list(stored_maps(self._state.maps[slot.name], slot.kind, partial, known, named, self._expiry))


def build(spec: IncrementalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return bundled(IncrementalGroupAggregate(spec, state, clock), spec.aggregate)


def code(spec: IncrementalGroupAggregateSpec) -> Iterator[str]:
    yield f"-- IncrementalGroupAggregate, in bundles of {spec.aggregate.bundle} rows"
    yield generate(spec.aggregate).source.rstrip()
