"""Collect rows and process them in bundles (Flink: MapBundleOperator, KeyedMapBundleOperator).

A bundle ends when it has `size` rows (rows, not keys: CountBundleTrigger), with every watermark, and with the
micro-batch. The barrier of a micro-batch is that of a checkpoint, so a checkpoint never contains collected
rows.

The output of a bundle is sorted by sequence, and no later bundle sends a lower sequence. So the output of all
bundles is sorted, and may be cut into packets at any row: no row of a packet precedes a row of an earlier
packet of the task, as receivers require (runtime/dataflow/packets.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from firesteel.runtime.dataflow.operator import Message, Operator, Watermark
from firesteel.runtime.dataflow.sequence import concat, in_order
from firesteel.runtime.spec.operators import GroupAggregateSpec

if TYPE_CHECKING:
    from firesteel.runtime.aggregate.reduce.map_order import MapOrder


class BundleFunction(Protocol):
    """Function that processes one bundle."""

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """Return the changes that the rows of a bundle cause together."""
        ...


class MapBundle(Operator):
    """Operator that passes bundles of rows to a function.

    Args:
        function: Function that is called with each bundle.
        size: Number of rows after which a bundle ends.
        order: Order of the Java HashMap in which Flink sends the keys of a bundle. None sends them in the
            order of their last rows.
    """

    def __init__(self, function: BundleFunction, size: int, order: MapOrder | None = None) -> None:
        self._function = function
        self._size = size
        self._order = order
        self._held: list[pa.Table] = []
        self._rows = 0

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        """Add rows and return the changes of all full bundles."""
        out: list[pa.Table] = []
        start = 0
        while table.num_rows - start >= self._size - self._rows:
            part = table.slice(start, self._size - self._rows)
            start += part.num_rows
            self._hold(part)
            out += self._flush()
        self._hold(table.slice(start))
        return (concat(out),) if out else ()

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        """End the bundle, then send the watermark."""
        return (*self._flush(), watermark)

    def barrier(self) -> Iterable[Message]:
        return self._flush()

    def end(self) -> Iterable[Message]:
        """End the bundle. It may hold rows that earlier operators sent at the end of their input."""
        return self._flush()

    def _hold(self, changes: pa.Table) -> None:
        if changes.num_rows:
            self._held.append(changes)
            self._rows += changes.num_rows

    def _flush(self) -> Iterator[pa.Table]:
        if not self._rows:
            return
        bundle = concat(self._held).combine_chunks()
        self._held, self._rows = [], 0
        if self._order is not None:
            bundle = self._order.arranged(bundle)
        out = in_order(self._function.finish_bundle(bundle))
        if out.num_rows:
            yield out


def bundled(
    function: BundleFunction, aggregate: GroupAggregateSpec, keys: Sequence[int] | None = None
) -> MapBundle:
    """Return an operator that aggregates in bundles.

    Args:
        function: The aggregation of a bundle.
        aggregate: Settings.
        keys: Positions of the keys in the input rows. None for accumulators, whose first columns are the
            keys.
    """
    if not aggregate.map_order:
        return MapBundle(function, aggregate.bundle)
    from firesteel.runtime.aggregate.reduce.map_order import MapOrder

    kinds = [aggregate.input_types[i] for i in aggregate.keys]
    return MapBundle(function, aggregate.bundle, MapOrder(range(len(kinds)) if keys is None else keys, kinds))
