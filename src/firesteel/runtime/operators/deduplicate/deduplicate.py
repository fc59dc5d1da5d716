"""Deduplicate: keep the first or the last row of each key by a time attribute.

Flink: StreamExecDeduplicate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.operator import Clock, Operator, RowOperator
from firesteel.runtime.spec.over import OverTime
from firesteel.runtime.spec.rank import DeduplicateSpec
from firesteel.runtime.state.base import StateBackend

if TYPE_CHECKING:
    from firesteel.runtime.operators.deduplicate.first_arrivals import FirstArrivals
    from firesteel.runtime.operators.deduplicate.row_time import RowTimeDeduplicate


class AllUpdates(RowOperator):
    """Operator that sends each row as +U, as each new row replaces the last row of its key.

    It is used if no consumer needs the replaced row, so it has no state. In bundles, only the last row of
    each key is sent.
    """

    def __init__(self, spec: DeduplicateSpec) -> None:
        self._keys = spec.keys

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the rows as +U."""
        kinds = pa.array(np.full(changes.num_rows, RowKind.UPDATE_AFTER, np.int8))
        return changes.set_column(changes.schema.get_field_index(KIND), KIND, kinds)

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the last row of each key of a bundle, as +U."""
        keys = find_keys([changes.column(field(i)) for i in self._keys], changes.num_rows)
        last = np.sort(keys.order[keys.starts + keys.counts - 1])
        return self.process(changes.take(pa.array(last)))


def build(spec: DeduplicateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    if spec.waits:
        from firesteel.runtime.operators.deduplicate.first_by_watermark import FirstByWatermark

        return FirstByWatermark(spec, state, clock)
    if spec.order is OverTime.PROCTIME and spec.keep_last and (spec.emit_update_before or spec.emit_insert):
        return _last_arrivals(spec, state, clock)
    function = _function(spec, state, clock)
    if not spec.bundle:
        return function
    from firesteel.runtime.operators.group.map_bundle import MapBundle

    return MapBundle(function, spec.bundle)


def _function(
    spec: DeduplicateSpec, state: StateBackend | None, clock: Clock
) -> RowTimeDeduplicate | FirstArrivals | AllUpdates:
    if spec.order is OverTime.ROWTIME:
        from firesteel.runtime.operators.deduplicate.row_time import RowTimeDeduplicate

        return RowTimeDeduplicate(spec, state, clock)
    if spec.keep_last:
        return AllUpdates(spec)
    from firesteel.runtime.operators.deduplicate.first_arrivals import FirstArrivals

    return FirstArrivals(spec, state, clock)


def _last_arrivals(spec: DeduplicateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    """Return a ChangelogNormalize operator, which keeps the last row of each key by arrival.

    Flink, too, has one function for ChangelogNormalize and for Deduplicate by processing time that keeps the
    last row (ProcTimeDeduplicateKeepLastRowFunction).
    """
    from firesteel.runtime.operators.group.changelog_normalize import build as build_normalize
    from firesteel.runtime.spec.operators import ChangelogNormalizeSpec

    normalize = ChangelogNormalizeSpec(
        spec.keys, spec.input_types, spec.emit_update_before, None, spec.ttl, spec.state_id, spec.bundle
    )
    return build_normalize(normalize, state, clock)


def code(spec: DeduplicateSpec) -> Iterator[str]:
    which = "last" if spec.keep_last else "first"
    how = f", in bundles of {spec.bundle} rows" if spec.bundle else ""
    by = ", ".join(map(field, spec.keys)) or "no key"
    yield f"-- Deduplicate keep {which} by {by} ({spec.order.value}){how}"
