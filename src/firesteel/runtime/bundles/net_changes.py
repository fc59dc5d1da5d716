"""The changes of result that a bundle causes, as a table."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.runtime.keys import Keys
from firesteel.runtime.orders import caused
from firesteel.runtime.row_by_row import expand
from firesteel.runtime.running.net import NetChanges
from firesteel.runtime.spec import KIND, ORDER, GroupAggregateSpec, field
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType


def net_table(
    net: NetChanges,
    keys: Keys,
    changes: pa.Table,
    update_before: bool,
) -> pa.Table:
    """The changes table, each change caused by its key's last row. changes: the bundle's rows."""
    kinds, causes = expand(net.outcomes, update_before)
    old = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
    at = pa.array(causes)
    last = keys.order[keys.starts + keys.counts - 1]
    columns = [key.take(at) for key in keys.columns]
    place = pa.array(np.where(old, causes + len(net.outcomes), causes))
    for after, before in zip(net.after, net.before, strict=True):
        columns.append(pa.concat_arrays([after, before]).take(place))
    return caused(changes, last[causes], pa.array(kinds), columns)


def result_schema(spec: GroupAggregateSpec, results: int) -> pa.Schema:
    """Of the changes of a GroupAggregate: its keys, and the results of its first calls."""
    kinds: list[SqlType] = [spec.input_types[i] for i in spec.keys]
    kinds += [call.type for call in spec.calls[:results]]
    fields = [pa.field(KIND, pa.int8()), pa.field(ORDER, pa.int64())]
    return pa.schema(fields + [pa.field(field(i), to_arrow(kind)) for i, kind in enumerate(kinds)])
