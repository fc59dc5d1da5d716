"""Accumulators of windows: lifted from rows, merged, and what they come to, for many windows at once.

A window is a number here; whose it is and when it ends is the operator's. In columns where all calls have
such a form, else through the generated row handler.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.bundles.columns import arrow_type
from firesteel.runtime.bundles.partials import Partials
from firesteel.runtime.keys import Keys
from firesteel.runtime.sorting import stable_order
from firesteel.runtime.spec import GroupAggregateSpec, field
from firesteel.runtime.values import one_chunk
from firesteel.types.sql import BIGINT

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Accumulated:
    """m accumulators. windows: int64[m], whose each is. parts: their columns (bundles/columns.py)."""

    windows: Index
    parts: tuple[pa.Array, ...]

    def take(self, at: Index, windows: Index) -> Accumulated:
        """Those of the rows `at`, for other windows."""
        place = pa.array(at)
        return Accumulated(windows, tuple(part.take(place) for part in self.parts))

    def and_then(self, other: Accumulated) -> Accumulated:
        """These, then the others."""
        if not len(other.windows):
            return self
        pairs = zip(self.parts, other.parts, strict=True)
        return Accumulated(
            np.concatenate([self.windows, other.windows]), tuple(pa.concat_arrays(pair) for pair in pairs)
        )

    def table(self) -> pa.Table:
        """As the bundles' kernels take them."""
        columns = [pa.array(self.windows), *self.parts]
        return pa.Table.from_arrays(columns, names=[field(i) for i in range(len(columns))])


class WindowAccumulators:
    """aggregate: the calls over the rows. columnar: False sends everything through the row handler."""

    def __init__(self, aggregate: GroupAggregateSpec, columnar: bool = True) -> None:
        self._number = len(aggregate.input_types)
        spec = replace(aggregate, keys=(self._number,), input_types=(*aggregate.input_types, BIGINT), ttl=0)
        self._partials = Partials(spec, len(spec.calls), columnar)

    @property
    def types(self) -> list[pa.DataType]:
        """Of the parts."""
        return [arrow_type(slot) for slot in self._partials.columns.slots]

    def lift(self, changes: pa.Table, windows: Index) -> Accumulated:
        """The accumulators of rows, one for each window that has any. windows: int64[n], of each row."""
        if not len(windows):
            return Accumulated(windows, tuple(pa.nulls(0, kind) for kind in self.types))
        rows = changes.append_column(field(self._number), pa.array(windows))
        return _accumulated(self._partials.of_rows(rows, numbered(windows)))

    def merge(self, accumulated: Accumulated) -> Accumulated:
        """One accumulator for each window, by its number: its own merged as they stand."""
        return _accumulated(self._partials.merged(accumulated.table(), numbered(accumulated.windows)))

    def results(self, accumulated: Accumulated) -> tuple[Mask, list[pa.Array]]:
        """What the accumulators come to, one for each window and by its number: whether it has records, and
        the results of the calls."""
        found = self._partials.results(self.merge(accumulated).table())
        return found.there, found.columns


def _accumulated(table: pa.Table) -> Accumulated:
    number, *parts = map(one_chunk, table.columns)
    return Accumulated(number.to_numpy(), tuple(parts))


def numbered(windows: Index) -> Keys:
    """The windows of n rows as keys: their numbers stand for their hashes."""
    order = stable_order(windows)
    ordered = windows[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    numbers = ordered[starts]
    return Keys(
        (pa.array(numbers),), numbers.view(np.uint64), np.zeros(len(numbers), np.uint64), order, starts
    )
