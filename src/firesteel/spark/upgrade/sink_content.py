"""Content of an old sink in the columns of the new one."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.errors import NotSupportedError
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.upgrade.content import COUNT, compared
from firesteel.types.arrow import to_arrow


def in_columns_of(rows: pa.Table, before: SinkSpec, after: SinkSpec) -> pa.Table:
    """Return the distinct rows (content.py) of an old sink in the columns of the new sink.

    They are the rows that a reader of the table sees after its columns have changed. A new column is NULL in
    all of them. A dropped column is left out.

    Args:
        rows: The rows, in the columns of the old sink.
        before: The old sink.
        after: The new sink.

    Raises:
        NotSupportedError: The type of a column changes, and its values cannot be cast to the new type.
    """
    columns = []
    for name, kind in zip(after.names, after.types, strict=True):
        wanted = to_arrow(kind)
        if name not in before.names:
            columns.append(pa.nulls(rows.num_rows, wanted))
            continue
        at = before.names.index(name)
        try:
            columns.append(rows[field(at)].cast(wanted))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise NotSupportedError(
                f"the upgrade of a sink whose column {name} changes from {before.types[at]} to {kind}",
                hint="let the new query write to another table, with an empty checkpoint folder",
            ) from None
    names = [*(field(i) for i in range(len(columns))), COUNT]
    found = pa.Table.from_arrays([*columns, rows[COUNT]], names=names)
    return found if set(before.names) <= set(after.names) else _together(found, after)


def _together(rows: pa.Table, sink: SinkSpec) -> pa.Table:
    """Merge rows that are equal since a column was dropped into one row, with the sum of their COUNT."""
    if not rows.num_rows:
        return rows
    columns = [compared(rows[field(i)], kind) for i, kind in enumerate(sink.types)]
    keys = find_keys(columns, rows.num_rows)
    counts = np.add.reduceat(rows[COUNT].to_numpy()[keys.order], keys.starts)
    kept = rows.take(pa.array(keys.order[keys.starts])).drop_columns([COUNT])
    return kept.append_column(COUNT, pa.array(counts, pa.int64()))
