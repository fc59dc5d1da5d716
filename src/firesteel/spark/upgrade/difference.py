"""The changes that make one content of a sink into another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.runtime.columns.keys import common_codes, find_keys
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.upgrade.content import COUNT, compared
from firesteel.types.arrow import to_arrow

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Difference:
    """Changes for one sink.

    Attributes:
        changes: A changes table (runtime/spec/operators.py): first deletions, then updates, then inserts.
        unchanged: Number of the sink's rows that stay as they are.
    """

    changes: pa.Table
    unchanged: int


def difference(
    before: pa.Table, after: pa.Table, sink: SinkSpec, key: Sequence[int], *, sends_before: bool
) -> Difference:
    """Return the changes that make the rows `before` into the rows `after`.

    Args:
        before: Distinct rows with COUNT (content.py), in the columns of the sink.
        after: Distinct rows with COUNT.
        sink: The sink.
        key: Positions of the sink's key columns. If `before` and `after` have different rows of a key, the
            row is updated. () for a sink without a key: each row is deleted or inserted, never updated.
        sends_before: Whether an update consists of its old row and its new row. If False, only the new row.
    """
    everything = tuple(range(len(sink.types)))
    gone, new = _surplus(before, after, sink, everything)
    unchanged = int(after[COUNT].to_numpy().clip(0).sum()) - int(new.clip(0).sum())
    old_rows, new_rows = _repeated(gone), _repeated(new)
    taken, added = before.take(pa.array(old_rows)), after.take(pa.array(new_rows))
    if not key:
        parts = [_kinds(taken, RowKind.DELETE), _kinds(added, RowKind.INSERT)]
        return Difference(_numbered(parts, sink), unchanged)
    codes, others = common_codes(_columns(taken, sink, key), _columns(added, sink, key), _sizes(taken, added))
    _, first, second = np.intersect1d(codes, others, assume_unique=True, return_indices=True)
    stays, fresh = np.ones(len(codes), np.bool_), np.ones(len(others), np.bool_)
    stays[first] = fresh[second] = False
    parts = [
        _kinds(taken.filter(pa.array(stays)), RowKind.DELETE),
        *_updates(taken.take(pa.array(first)), added.take(pa.array(second)), sends=sends_before),
        _kinds(added.filter(pa.array(fresh)), RowKind.INSERT),
    ]
    return Difference(_numbered(parts, sink), unchanged)


def distinct(rows: pa.Table, sink: SinkSpec, key: Sequence[int]) -> bool:
    """Return whether no two rows of a sink have equal values in the columns at the positions `key`."""
    return not rows.num_rows or len(find_keys(_columns(rows, sink, key), rows.num_rows)) == rows.num_rows


def _surplus(
    before: pa.Table, after: pa.Table, sink: SinkSpec, columns: Sequence[int]
) -> tuple[Indices, Indices]:
    """Return how many copies of each row one table has more than the other (COUNT).

    The first array has a number for each row of `before`: its copies to delete. The second array has a number
    for each row of `after`: its copies to insert. A row with at least as many copies in the other table has
    the number 0. Only the columns at the positions `columns` are compared.
    """
    codes, others = common_codes(
        _columns(before, sink, columns), _columns(after, sink, columns), _sizes(before, after)
    )
    size = 1 + max((int(each.max()) for each in (codes, others) if len(each)), default=-1)
    total = np.zeros(size, np.int64)
    np.add.at(total, others, after[COUNT].to_numpy())
    np.subtract.at(total, codes, before[COUNT].to_numpy())
    gone, new = -total[codes], total[others]
    return gone.clip(0), new.clip(0)


def _repeated(counts: Indices) -> Indices:
    return np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def _sizes(one: pa.Table, other: pa.Table) -> tuple[int, int]:
    return one.num_rows, other.num_rows


def _columns(rows: pa.Table, sink: SinkSpec, at: Sequence[int]) -> list[pa.Array | pa.ChunkedArray]:
    return [compared(rows[field(i)], sink.types[i]) for i in at]


def _kinds(rows: pa.Table, kind: RowKind) -> pa.Table:
    return rows.drop_columns([COUNT]).add_column(0, KIND, pa.array(np.full(rows.num_rows, kind, np.int8)))


def _updates(old: pa.Table, new: pa.Table, *, sends: bool) -> list[pa.Table]:
    """Return the changes of updated rows: with `sends`, each old row before its new row; else new rows."""
    after = _kinds(new, RowKind.UPDATE_AFTER)
    if not sends or not old.num_rows:
        return [after]
    both = pa.concat_tables([_kinds(old, RowKind.UPDATE_BEFORE), after])
    order = np.arange(2 * old.num_rows).reshape(2, -1).T.ravel()
    return [both.take(pa.array(order))]


def _numbered(parts: Sequence[pa.Table], sink: SinkSpec) -> pa.Table:
    """Return the tables `parts`, which have row kinds, as one changes table with the sequences 0, 1, ..."""
    types = [pa.field(field(i), to_arrow(kind)) for i, kind in enumerate(sink.types)]
    schema = pa.schema([pa.field(KIND, pa.int8()), *types])
    changes = pa.concat_tables([part.cast(schema) for part in parts]).combine_chunks()
    return changes.add_column(1, SEQUENCE, pa.array(np.arange(changes.num_rows, dtype=np.int64)))
