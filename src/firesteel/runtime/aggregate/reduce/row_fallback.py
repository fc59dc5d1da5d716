"""Process bundles with the generated row handler, for calls or keys without a columnar form.

Flink: MiniBatchGroupAggFunction, MiniBatchLocalGroupAggFunction, MiniBatchGlobalGroupAggFunction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, field
from firesteel.errors import JobError
from firesteel.runtime.aggregate.functions.declaration import MapView
from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns
from firesteel.runtime.aggregate.row_engine.accumulators import Accumulators
from firesteel.runtime.aggregate.row_engine.handler import DELETE, INSERT, NOTHING, UPDATE, GeneratedHandler
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.row_engine.result_equality import equals_itself
from firesteel.runtime.aggregate.row_engine.row_loop import no_collections
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.columns.keys import Keys, one_array
from firesteel.runtime.dataflow.failed_row import with_key
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.types.internal_values import from_list, to_keys, to_list

Index = NDArray[np.int64]


class HandlerInputs:
    """Rows of a batch, sorted by key, as arguments of the row handler's accumulate and retract."""

    def __init__(
        self, spec: GroupAggregateSpec, generated: GeneratedHandler, changes: pa.Table, keys: Keys
    ) -> None:
        self._order = pa.array(keys.order)
        self._changes = changes
        self.retracts: list[int] = (self._column(KIND).to_numpy() & 1).tolist()
        columns = []
        for each in generated.inputs:
            values = to_keys if each.key else to_list
            columns.append(values(self.argument(each.position), spec.input_types[each.position]))
        self.rows: list[tuple[Any, ...]] = (
            list(zip(*columns, strict=True)) if columns else [()] * len(self.retracts)
        )

    def argument(self, position: int) -> pa.Array:
        """Return the input field at `position`, sorted by key."""
        return self._column(field(position))

    def _column(self, name: str) -> pa.Array:
        return one_array(self._changes.column(name)).take(self._order)


class LocalRows:
    """Row handler of a local phase: it creates new accumulators from a bundle.

    Unlike in `KeyedRows`, a retraction before the first added row of its key is not dropped. The retracted
    row may have been in an earlier bundle, of which a local phase knows nothing.
    """

    def __init__(self, spec: GroupAggregateSpec, generated: GeneratedHandler) -> None:
        self._spec = spec
        self._generated = generated
        self._handler = generated.create()

    def fold(self, changes: pa.Table, keys: Keys) -> list[tuple[Any, ...]]:
        """Return one accumulator for each key, made from its rows in `changes`."""
        handler, inputs = self._handler, HandlerInputs(self._spec, self._generated, changes, keys)
        rows = zip(inputs.retracts, inputs.rows, strict=True)
        accs: list[tuple[Any, ...]] = []
        try:
            with no_collections():
                for count in keys.counts.tolist():
                    handler.reset_accumulators()
                    for retracts, row in islice(rows, count):
                        (handler.retract if retracts else handler.accumulate)(*row)
                    accs.append(handler.get_accumulators())
        except JobError as error:
            raise with_key(error, keys.columns, len(accs)) from error
        return accs


class KeyedRows:
    """Row handler that applies bundles to stored accumulators.

    Only the results of the first `results` calls are sent.
    """

    def __init__(
        self,
        spec: GroupAggregateSpec,
        generated: GeneratedHandler,
        accumulators: Accumulators,
        expiry: Expiry,
        results: int,
    ) -> None:
        self._spec = spec
        self._generated = generated
        self._accumulators = accumulators
        self._handler = generated.create(expiry)
        self._results = results
        names = [slot.name for slot in generated.slots]
        tests = ((i, equals_itself(call)) for i, call in enumerate(spec.calls[:results]))
        self._nested = [(i, test) for i, test in tests if test]
        self._records = None if spec.records is None else names.index(spec.records)

    def fold(self, changes: pa.Table, keys: Keys) -> NetChanges:
        """Return the net changes of a bundle of rows, and store the accumulators (aggregation in one phase).

        Of a key without state, the retractions before its first added row are dropped.
        """
        inputs = HandlerInputs(self._spec, self._generated, changes, keys)

        def named(slot: Slot) -> tuple[Index, pa.Array] | None:
            return None if slot.argument is None else (keys.sorted_codes, inputs.argument(slot.argument))

        handler = self._handler
        rows = zip(inputs.retracts, inputs.rows, strict=True)
        counts = iter(keys.counts.tolist())

        def work(unknown: bool) -> bool:
            mine = list(islice(rows, next(counts)))
            if unknown:
                first = next((i for i, (retracts, _) in enumerate(mine) if not retracts), len(mine))
                mine = mine[first:]
            for retracts, row in mine:
                (handler.retract if retracts else handler.accumulate)(*row)
            return bool(mine)

        return self._run(keys, named, work)

    def merge(self, columns: AccumulatorColumns, changes: pa.Table, keys: Keys) -> NetChanges:
        """Return the net changes by a bundle of accumulators of local phases, and store the new accumulators.

        The accumulators of a key are merged with each other, then into its stored accumulator.
        """
        ordered = changes.take(pa.array(keys.order))
        others = columns.to_rows(ordered, self._generated.slots)
        handler, counts = self._handler, iter(keys.counts.tolist())

        def named(slot: Slot) -> tuple[Index, pa.Array] | None:
            view = slot.kind
            if slot not in columns.slots or (isinstance(view, MapView) and (view.whole or view.ordered)):
                return None
            lists = one_array(ordered.column(field(columns.position(slot))))
            lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
            return np.repeat(keys.sorted_codes, lengths), lists.flatten().field(0)

        def work(unknown: bool) -> bool:
            mine = handler.get_accumulators()
            handler.reset_accumulators()
            for other in islice(others, next(counts)):
                handler.merge(other)
            bundle = handler.get_accumulators()
            handler.set_accumulators(mine)
            handler.merge(bundle)
            return True

        return self._run(keys, named, work)

    def _run(self, keys: Keys, named: Any, work: Any) -> NetChanges:
        """Change the accumulator of each key, store the accumulators, and return the net changes.

        Args:
            keys: Keys of the bundle.
            named: Function that returns which entries of a map view have to be read from the state for the
                bundle (accumulators.py: Named).
            work: Function that applies the bundle's rows of one key to the handler's accumulator. It is
                called once for each key, in the order of `keys`. Its argument is True for a key without
                state. It returns False if it has dropped all rows of the key.
        """
        handler, outcomes = self._handler, np.zeros(len(keys), np.uint8)
        befores: list[tuple[Any, ...] | None] = []
        afters: list[tuple[Any, ...] | None] = []
        with no_collections():
            accs = self._accumulators.load(keys, named)
            for index, acc in enumerate(accs):
                unknown = acc is None
                handler.set_accumulators(handler.create_accumulators() if unknown else acc)
                before = None if unknown else handler.get_value()[: self._results]
                try:
                    counts = work(unknown)
                except JobError as error:
                    raise with_key(error, keys.columns, index) from error
                if not counts:
                    befores.append(None)
                    afters.append(None)
                    continue
                after = handler.get_value()[: self._results]
                accs[index] = handler.get_accumulators()
                outcomes[index] = self._outcome(before, after, accs[index])
                if self._is_empty(accs[index]):
                    accs[index] = None
                befores.append(before)
                afters.append(after)
            self._accumulators.store(keys, accs)
        clean = np.ones(len(keys), np.bool_)
        return NetChanges(outcomes, self._columns(befores), self._columns(afters), clean)

    def _outcome(self, before: tuple[Any, ...] | None, after: tuple[Any, ...], acc: Sequence[Any]) -> int:
        if self._is_empty(acc):
            return NOTHING if before is None else DELETE
        if before is None:
            return INSERT
        # In Flink, a NaN does not equal itself. Python's == on two tuples would find a NaN equal if both have
        # the same object. So the values are compared one by one.
        same = not self._spec.ttl and all(a == b for a, b in zip(before, after, strict=True))
        return NOTHING if same and all(test(after[i]) for i, test in self._nested) else UPDATE

    def _is_empty(self, acc: Sequence[Any]) -> bool:
        return self._records is not None and acc[self._records] == 0

    def _columns(self, results: Sequence[tuple[Any, ...] | None]) -> list[pa.Array]:
        calls = self._spec.calls[: self._results]
        return [
            from_list([None if row is None else row[i] for row in results], call.type)
            for i, call in enumerate(calls)
        ]
