"""GlobalGroupAggregate: merge the accumulators of local phases into the state.

Flink: MiniBatchGlobalGroupAggFunction. A bundle sends at most one change of result for each key. Retractions
of unknown keys are not dropped: the count of their group stays negative until the missing rows come.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns
from firesteel.runtime.aggregate.reduce.keyed import KeyedMerge
from firesteel.runtime.aggregate.reduce.net_changes import net_table, result_schema
from firesteel.runtime.aggregate.reduce.partial_accumulators import merge
from firesteel.runtime.aggregate.reduce.row_fallback import KeyedRows
from firesteel.runtime.aggregate.row_engine.accumulators import accumulators
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.map_state import Expiry
from firesteel.runtime.aggregate.scan.column import NoPrefixScan
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.aggregate.scan.plan import columnar_aggregates
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.operator import Clock, Operator
from firesteel.runtime.operators.group.map_bundle import bundled
from firesteel.runtime.spec.operators import GlobalGroupAggregateSpec
from firesteel.runtime.state.base import StateBackend


class GlobalGroupAggregate:
    """Global phase as a BundleFunction (map_bundle.py).

    Args:
        spec: Settings.
        state: State of the operator. None keeps the accumulators in this process.
        clock: Processing time.
        columnar: False processes everything with the row handler.
    """

    def __init__(
        self,
        spec: GlobalGroupAggregateSpec,
        state: StateBackend | None,
        clock: Clock,
        columnar: bool = True,
    ) -> None:
        self._spec = spec.aggregate
        self._results = spec.results
        self._clock = clock
        self._columns = AccumulatorColumns.of(self._spec)
        self._expiry = Expiry(self._spec.ttl)
        self._aggregates = columnar_aggregates(self._spec) if columnar else None
        generated = generate(self._spec)
        in_columns = self._aggregates is not None
        self._state, rows = accumulators(self._spec, generated.slots, state, in_columns, self._expiry)
        self._rows = KeyedRows(self._spec, generated, rows, self._expiry, spec.results)
        self._schema = result_schema(self._spec, spec.results)

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the changes of result, each with the origin of its key's last row."""
        self._expiry.now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._columns.keys], changes.num_rows)
        merged = self._in_columns(changes, keys)
        if merged is None:
            return self._table(changes, keys, self._rows.merge(self._columns, changes, keys))
        out = self._table(changes, keys, merged)
        if merged.clean.all():
            return out
        return pa.concat_tables([out, self._by_row(changes, keys, ~merged.clean)])

    def _in_columns(self, changes: pa.Table, keys: Keys) -> NetChanges | None:
        """Return the changes in columnar form. None, with nothing written, if the row handler is needed."""
        if self._aggregates is None or self._state is None:
            return None
        try:
            with np.errstate(over="ignore"):
                accumulators = merge(self._columns, self._spec, self._aggregates, changes, keys)
                whole = KeyedMerge(
                    self._spec, self._aggregates, self._state, keys, accumulators, self._expiry.now
                )
                return whole.run(self._results)
        except NoPrefixScan:
            return None

    def _by_row(self, changes: pa.Table, keys: Keys, which: NDArray[np.bool_]) -> pa.Table:
        rest = changes.take(pa.array(np.flatnonzero(which[keys.codes])))
        some = find_keys([rest.column(field(i)) for i in self._columns.keys], rest.num_rows)
        return self._table(rest, some, self._rows.merge(self._columns, rest, some))

    def _table(self, changes: pa.Table, keys: Keys, net: NetChanges) -> pa.Table:
        return net_table(net, keys, changes, self._spec.emit_update_before)


def build(spec: GlobalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    return bundled(GlobalGroupAggregate(spec, state, clock), spec.aggregate)


def code(spec: GlobalGroupAggregateSpec) -> Iterator[str]:
    yield f"-- GlobalGroupAggregate, in bundles of {spec.aggregate.bundle} rows"
    yield generate(spec.aggregate).source.rstrip()
