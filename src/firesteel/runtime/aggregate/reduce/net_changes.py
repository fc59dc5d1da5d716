"""Build the table of result changes that a bundle causes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.runtime.aggregate.row_engine.row_loop import expand
from firesteel.runtime.aggregate.scan.net_changes import NetChanges
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.dataflow.sequence import derived


def net_table(
    net: NetChanges,
    keys: Keys,
    changes: pa.Table,
    update_before: bool,
) -> pa.Table:
    """Return the changes table of a bundle's results: key fields, then results.

    A change gets its place in the total order of changes (sequence and sub-sequence) from the last row of its
    key in the bundle.

    Args:
        net: Net change of each key.
        keys: Keys of the bundle.
        changes: Rows of the bundle.
        update_before: Whether -U rows are sent.
    """
    kinds, origins = expand(net.outcomes, update_before)
    old = (kinds == RowKind.UPDATE_BEFORE) | (kinds == RowKind.DELETE)
    at = pa.array(origins)
    last = keys.order[keys.starts + keys.counts - 1]
    columns = [key.take(at) for key in keys.columns]
    place = pa.array(np.where(old, origins + len(net.outcomes), origins))
    for after, before in zip(net.after, net.before, strict=True):
        columns.append(pa.concat_arrays([after, before]).take(place))
    return derived(changes, last[origins], pa.array(kinds), columns)
