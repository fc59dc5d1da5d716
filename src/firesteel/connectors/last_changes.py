"""Reduction of changes to the last one of each key, for sinks whose readers see only the final state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import field

_ROW = "$row"


def last_of_each_key(changes: pa.Table, keys: Sequence[int]) -> pa.Table:
    """Return the last change of each key, in the order of the changes.

    Args:
        changes: A changes table.
        keys: Positions of the key fields, which have primitive types.
    """
    numbered = changes.select([field(key) for key in keys])
    numbered = numbered.append_column(_ROW, pa.array(np.arange(changes.num_rows)))
    last = numbered.group_by([field(key) for key in keys]).aggregate([(_ROW, "max")])
    rows = last[f"{_ROW}_max"]
    return changes if len(rows) == changes.num_rows else changes.take(rows.take(pc.sort_indices(rows)))
