"""The changes of result that a bundle causes: at most one change a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind
from firesteel.runtime.operators.group_aggregate import expand
from firesteel.runtime.spec import KIND, ORDER, GroupAggregateSpec, field
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class NetChanges:
    """What happened to g keys. outcomes: uint8[g] as the row handler gives them (NOTHING, INSERT, UPDATE,
    DELETE). before and after: the results, a column of g rows for each call that is shown; anything where
    there is none."""

    outcomes: NDArray[np.uint8]
    before: list[pa.Array]
    after: list[pa.Array]

    def table(
        self, keys: Sequence[pa.Array], orders: NDArray[np.int64], schema: pa.Schema, update_before: bool
    ) -> pa.Table:
        """The changes table. keys and orders: g rows, the order of the last row of each key."""
        kinds, causes = expand(self.outcomes, update_before)
        old = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
        at = pa.array(causes)
        columns = [pa.array(kinds), pa.array(orders[causes]), *(key.take(at) for key in keys)]
        place = pa.array(np.where(old, causes + len(self.outcomes), causes))
        for after, before in zip(self.after, self.before, strict=True):
            columns.append(pa.concat_arrays([after, before]).take(place))
        return pa.Table.from_arrays(columns, schema=schema)


def result_schema(spec: GroupAggregateSpec, results: int) -> pa.Schema:
    """Of the changes of a GroupAggregate: its keys, and the results of its first calls."""
    kinds: list[SqlType] = [spec.input_types[i] for i in spec.keys]
    kinds += [call.type for call in spec.calls[:results]]
    fields = [pa.field(KIND, pa.int8()), pa.field(ORDER, pa.int64())]
    return pa.schema(fields + [pa.field(field(i), to_arrow(kind)) for i, kind in enumerate(kinds)])
