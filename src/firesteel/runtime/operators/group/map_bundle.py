"""Holds rows back and works them off in bundles. Flink: MapBundleOperator, KeyedMapBundleOperator.

A bundle ends when it has `size` rows (rows, not keys: CountBundleTrigger), with every watermark, and with
the micro-batch: its barrier is a checkpoint's, so nothing that is held back is ever part of one.

What a bundle gives stands by `$order`, and no later bundle gives a lower one: a bundle further down may cut
it anywhere, and what it makes of the parts is merged by `$order` again (runtime/dataflow/packets.py).
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
    """What is done with a bundle."""

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """The changes that the rows of a bundle cause together."""
        ...


class MapBundle(Operator):
    """size: rows after which a bundle ends. order: of its keys, where something looks at it."""

    def __init__(self, function: BundleFunction, size: int, order: MapOrder | None = None) -> None:
        self._function = function
        self._size = size
        self._order = order
        self._held: list[pa.Table] = []
        self._rows = 0

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        """Take rows in; what the bundles that are full give."""
        out: list[pa.Table] = []
        start = 0
        while table.num_rows - start >= self._size - self._rows:
            part = table.slice(start, self._size - self._rows)
            start += part.num_rows
            self._hold(part)
            out += self._flush()
        self._hold(table.slice(start))
        return (concat(out),) if out else ()

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        """What is held back goes before it."""
        return (*self._flush(), mark)

    def barrier(self) -> Iterable[Message]:
        return self._flush()

    def end(self) -> Iterable[Message]:
        """What the end of the operators before it released."""
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
    """An aggregate in bundles. keys: of the rows that come in; None for accumulators, whose first columns
    they are."""
    if not aggregate.map_order:
        return MapBundle(function, aggregate.bundle)
    from firesteel.runtime.aggregate.reduce.map_order import MapOrder

    kinds = [aggregate.input_types[i] for i in aggregate.keys]
    return MapBundle(function, aggregate.bundle, MapOrder(range(len(kinds)) if keys is None else keys, kinds))
