"""Running MIN and MAX without retraction: the extreme of the rows so far."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.aggregate.scan.column import (
    Column,
    Mask,
    NoPrefixScan,
    Ranks,
    both,
    comparable,
    from_arrow,
    to_array,
)
from firesteel.runtime.aggregate.scan.rows import Rows
from firesteel.runtime.aggregate.scan.segments import Numbers, accumulate, running_sum, spread
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import APPROXIMATE, SqlType


@dataclass
class PrefixExtreme:
    """Extremes (MIN or MAX) of one call over the rows of a batch.

    Attributes:
        best: Extreme after each row, as a number.
        known: Stored extreme of each key, as a number.
        kind: Type of the extremes.
        ranks: Strings that the numbers stand for, None if the numbers are values.
        size: Number of values after each row, None if values are not counted.
    """

    best: Column
    known: Column
    kind: SqlType
    ranks: Ranks | None
    size: Column | None = None

    def array(self, column: Column) -> pa.Array:
        """Return extremes, given as numbers, as an Arrow column in the form of the accumulator."""
        return to_array(column, self.kind) if self.ranks is None else self.ranks.strings(column)


def plain_extreme(rows: Rows, call: AggregateSpec, stored: pa.Array, least: bool) -> PrefixExtreme:
    """Return MIN (`least`) or MAX after each row. `stored` has the extreme of each key before the batch.

    Raises:
        NoPrefixScan: There are NaN or negative zeros.
    """
    position, kind = call.args[0], call.arg_types[0]
    null = rows.null(position)
    reach = both(rows.passes(call.filter), None if null is None else ~null)
    if rows.sign is not None:
        reach = both(reach, rows.sign > 0)
    ranks = None
    if kind.root in APPROXIMATE:
        argument, known = rows.column(position), from_arrow(stored, kind)
        refuse_odd_floats(argument.values, reach)
        refuse_odd_floats(known.values, None)
    else:
        (argument, known), ranks = comparable([rows.array(position), stored], kind)
    initial = rows.segment_initial(known, None)
    ufunc, neutral = ufunc_of(argument.values.dtype, least)
    values = argument.values if reach is None else np.where(reach, argument.values, neutral)
    begin = initial.values.astype(values.dtype)
    begin[initial.is_null] = neutral
    best = accumulate(ufunc, values, rows.segment_starts, begin)
    missing: Mask | None = None
    if reach is not None and initial.null is not None:
        reached = running_sum(reach.astype(np.int64), rows.segment_starts)
        missing = spread(initial.null, rows.segment_starts, len(rows)) & (reached == 0)
    return PrefixExtreme(Column(best, missing), known, kind, ranks)


def ufunc_of(dtype: np.dtype[np.generic], least: bool) -> tuple[np.ufunc, np.generic]:
    """Return the ufunc of MIN (`least`) or MAX for a dtype, and the value that never changes its result."""
    if dtype.kind == "f":
        return (np.minimum, dtype.type(np.inf)) if least else (np.maximum, dtype.type(-np.inf))
    limits = np.iinfo(np.int64)
    return (np.minimum, np.int64(limits.max)) if least else (np.maximum, np.int64(limits.min))


def refuse_odd_floats(values: Numbers, reach: Mask | None) -> None:
    """Check that no value where `reach` is True (None: anywhere) is a NaN or a negative zero.

    With such values, the extreme depends on which came first.

    Raises:
        NoPrefixScan: There is such a value. The row handler processes it.
    """
    if values.dtype.kind != "f":
        return
    odd = np.isnan(values) | ((values == 0) & np.signbit(values))
    if np.any(odd if reach is None else odd & reach):
        raise NoPrefixScan
