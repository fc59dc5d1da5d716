"""Holds rows back and works them off in bundles. Flink: MapBundleOperator, KeyedMapBundleOperator.

A bundle ends when it has `size` rows (rows, not keys: CountBundleTrigger), with every watermark, and with
the micro-batch or the input. Micro-batches commit as Flink's checkpoints do, before whose barriers it
flushes, so nothing that is held back is ever part of a checkpoint.

What a bundle gives stands by `$order`, and no later bundle gives a lower one: a bundle further down may cut
it anywhere, and what it makes of the parts is merged by `$order` again (runtime/packets.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from firesteel.runtime.packets import in_order

if TYPE_CHECKING:
    from firesteel.runtime.bundles.map_order import MapOrder


class BundleFunction(Protocol):
    """What is done with a bundle."""

    @property
    def schema(self) -> pa.Schema:
        """Of the changes that come out."""
        ...

    def finish_bundle(self, changes: pa.Table) -> pa.Table:
        """The changes that the rows of a bundle cause together."""
        ...


class MapBundle:
    """size: rows after which a bundle ends. order: of its keys, where something looks at it."""

    def __init__(self, function: BundleFunction, size: int, order: MapOrder | None = None) -> None:
        self._function = function
        self._size = size
        self._order = order
        self._held: list[pa.Table] = []
        self._rows = 0

    def process(self, changes: pa.Table) -> pa.Table:
        """Take rows in; what the bundles that are full give."""
        out: list[pa.Table] = []
        start = 0
        while changes.num_rows - start >= self._size - self._rows:
            part = changes.slice(start, self._size - self._rows)
            start += part.num_rows
            self._hold(part)
            out.append(self._flush())
        self._hold(changes.slice(start))
        return pa.concat_tables(out) if out else self._function.schema.empty_table()

    def watermark(self) -> pa.Table:
        """A watermark comes by: what was held back goes before it."""
        return self._flush()

    def finish(self) -> pa.Table | None:
        """End of the micro-batch or of the input."""
        return self._flush() if self._rows else None

    def _hold(self, changes: pa.Table) -> None:
        if changes.num_rows:
            self._held.append(changes)
            self._rows += changes.num_rows

    def _flush(self) -> pa.Table:
        if not self._rows:
            return self._function.schema.empty_table()
        bundle = pa.concat_tables(self._held).combine_chunks()
        self._held, self._rows = [], 0
        if self._order is not None:
            bundle = self._order.arranged(bundle)
        return in_order(self._function.finish_bundle(bundle))
