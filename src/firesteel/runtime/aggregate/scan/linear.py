"""Prefix scans of linear aggregates (COUNT, SUM, $SUM0, AVG), whose fields are sums of contributions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Argument, Constant, Declared
from firesteel.runtime.aggregate.scan.column import Column, Mask, NoPrefixScan, from_arrow
from firesteel.runtime.aggregate.scan.rows import Rows
from firesteel.runtime.aggregate.scan.segments import Index, accumulate, running_sum, spread, wrapped
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import INTEGER_BITS, INTEGERS, TypeRoot

_SAFE = float(1 << 62)


def prefix_fields(
    rows: Rows, call: AggregateSpec, aggregate: Declared, reach: Mask | None, stored: Mapping[str, pa.Array]
) -> dict[str, Column]:
    """Return the fields of a linear aggregate by name, each with its value after each row.

    `reach` is True for rows that count, None for all. `stored` has the stored fields, one row for each key.

    Raises:
        NoPrefixScan: A sum might exceed 64 bits.
    """
    return {
        field.name: _running_field(rows, call, aggregate, field, reach, stored[field.name])
        for field in aggregate.fields
    }


def _running_field(
    rows: Rows, call: AggregateSpec, aggregate: Declared, field: AccumulatorField, reach: Mask | None,
    stored: pa.Array,
) -> Column:  # fmt: skip
    assert not isinstance(field.initial, list)
    initial = rows.segment_initial(from_arrow(stored, field.type), field.initial)
    contribution = aggregate.contributions[field.name]
    if isinstance(contribution, Constant):
        assert isinstance(contribution.value, int)
        return Column(_sum_ones(rows, contribution.value, reach, initial.values))
    assert isinstance(contribution, Argument)
    argument = rows.column(call.args[contribution.index])
    if field.type.root in INTEGERS:
        total = _sum_integers(rows, argument, reach, initial.values)
        total = wrapped(total, INTEGER_BITS[field.type.root])
    elif field.type.root is TypeRoot.DECIMAL:
        total = _sum_decimals(rows, argument, reach, field, initial)
    else:
        dtype = np.float32 if field.type.root is TypeRoot.FLOAT else np.float64
        argument = Column(argument.values.astype(dtype, copy=False))
        return _sum_floats(rows, argument, reach, field, initial)
    return Column(total, _still_null(rows, reach, field, initial))


def _sum_ones(rows: Rows, one: int, reach: Mask | None, initial: Index) -> Index:
    if rows.sign is None:
        values = np.ones(len(rows), np.int64) if reach is None else reach.astype(np.int64)
    else:
        values = rows.sign if reach is None else np.where(reach, rows.sign, 0)
    if reach is None and rows.count is not None and np.array_equal(initial, _records_before(rows)):
        return rows.count
    return running_sum(values if one == 1 else values * one, rows.segment_starts, initial)


def _records_before(rows: Rows) -> Index:
    """Return how many records each segment's key has just before the first row of the segment, int64[s].

    The records of a key are its added rows that are not retracted. A segment is a range of rows of one key.
    After a row that leaves the key without records, the next row of the key begins a new segment (`Rows`). So
    the first segment of a key has the stored number of records, or 0 without state. A later segment has 0.
    """
    assert rows.count is not None
    assert rows.sign is not None
    before: Index = rows.count[rows.segment_starts] - rows.sign[rows.segment_starts]
    return before


def _sum_integers(rows: Rows, argument: Column, reach: Mask | None, initial: Index) -> Index:
    values = argument.values if rows.sign is None else argument.values * rows.sign
    if reach is not None:
        values = np.where(reach, values, 0)
    return running_sum(values, rows.segment_starts, initial)


def _sum_decimals(
    rows: Rows, argument: Column, reach: Mask | None, field: AccumulatorField, initial: Column
) -> Index:
    """Return the DECIMAL sum after each row.

    A sum that has overflowed is stored as NULL. If the initial value of the field is NULL (SUM), this NULL is
    treated like the initial value: the sum begins again with the next row. If the initial value is 0 ($SUM0),
    the sum must stay NULL. A key whose $SUM0 is stored as NULL is left to the row handler.

    Raises:
        NoPrefixScan: A sum might overflow.
    """
    bound = np.abs(argument.values.astype(np.float64)).sum()
    bound += np.abs(initial.values.astype(np.float64)).max(initial=0)
    if not bound < _SAFE:
        raise NoPrefixScan
    if field.initial is not None and initial.null is not None:
        rows.reject_rows(rows.segment_starts[initial.null])
    return _sum_integers(rows, argument, reach, initial.values)


def _still_null(rows: Rows, reach: Mask | None, field: AccumulatorField, initial: Column) -> Mask | None:
    """Return after which rows a field of the accumulator is NULL, bool[n]. None if it never is.

    A segment is a range of rows of one key (`Rows`). `initial` has the field's value before each segment. If
    it is NULL, the field stays NULL until the first row of the segment that counts. `reach` is True for rows
    that count, None for all.
    """
    if field.initial is not None or initial.null is None:
        return None
    if reach is None:
        # Every row counts. So the field has a value after the first row of its segment, and keeps having one.
        return None
    reached = running_sum(reach.astype(np.int64), rows.segment_starts)
    null: Mask = spread(initial.null, rows.segment_starts, len(rows)) & (reached == 0)
    return null


def _sum_floats(
    rows: Rows, argument: Column, reach: Mask | None, field: AccumulatorField, initial: Column
) -> Column:
    """Return the floating-point sum after each row.

    Values are added one by one, so that the bits equal the row handler's. Rows that do not count add -0.0: it
    changes no sum, not even -0.0.
    """
    values = (
        argument.values if rows.sign is None else np.where(rows.sign > 0, argument.values, -argument.values)
    )
    neutral = values.dtype.type(-0.0)
    if reach is not None:
        values = np.where(reach, values, neutral)
    begin = initial.values.astype(values.dtype, copy=False)
    null = _still_null(rows, reach, field, initial)
    if initial.null is not None:
        begin = np.where(initial.null, neutral, begin)
        if rows.sign is not None:
            _reject_first_retractions(rows, reach, initial.null)
    with np.errstate(all="ignore"):
        return Column(accumulate(np.add, values, rows.segment_starts, begin), null)


def _reject_first_retractions(rows: Rows, reach: Mask | None, null: Mask) -> None:
    """Leave a key to the row handler if the first row that counts in a segment retracts x from a NULL sum.

    The row handler gives 0 - x, prefix scans give -x. For x = 0.0, these are 0.0 and -0.0.

    Args:
        rows: The rows, in segments: ranges of rows of one key.
        reach: Which rows count, None for all.
        null: bool[s], whether the sum is NULL at the begin of each of s segments.
    """
    reached = np.ones(len(rows), np.int64) if reach is None else reach.astype(np.int64)
    first = (running_sum(reached, rows.segment_starts) == 1) & (reached == 1)
    first &= spread(null, rows.segment_starts, len(rows))
    assert rows.sign is not None
    rows.reject_rows(np.flatnonzero(first & (rows.sign < 0)))
