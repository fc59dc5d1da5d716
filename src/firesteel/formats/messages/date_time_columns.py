"""Convert columns of texts to dates, times of day and timestamps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags
from firesteel.kernels.types import given
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType, TypeRoot

DATE_TIMES = (TypeRoot.DATE, TypeRoot.TIME, TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)
_MICROSECONDS, _NANOSECONDS, _TIME_DIGITS = 6, 9, 3
_YEARS = {_MICROSECONDS: (1000, 9999), _NANOSECONDS: (1678, 2261)}
"""First and last year that the kernel reads, for columns in microseconds and for columns in nanoseconds.

The exact reader reads all other years.
"""


def date_times(texts: pa.StringArray, kind: SqlType, *, iso: bool) -> tuple[pa.Array, Flags]:
    """Return the values of n texts, and which of them the exact reader must read, bool[n].

    NULL and texts for the exact reader are NULL. Flink: DateTimeUtils, JsonToRowDataConverters.

    Args:
        texts: The texts.
        kind: DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ.
        iso: Whether timestamps are in ISO-8601 format, with `T` between date and time.
    """
    from firesteel.kernels.text.date_times import DATE, TIME, TIMESTAMP, read_date_times

    form = {TypeRoot.DATE: DATE, TypeRoot.TIME: TIME}.get(kind.root, TIMESTAMP)
    stamp = form == TIMESTAMP
    scale = _NANOSECONDS if stamp and (kind.precision or 0) > _MICROSECONDS else _MICROSECONDS
    count = len(texts)
    _, offsets, data = texts.buffers()
    places = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + count + 1]
    used = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    out, odd = np.empty(count, np.int64), np.empty(count, np.bool_)
    text, ends, there = given(used, places, texts.is_valid().to_numpy(zero_copy_only=False))
    between, zone = ord("T" if iso else " "), kind.root is TypeRoot.TIMESTAMP_LTZ
    digits = scale if stamp else _TIME_DIGITS
    read_date_times(text, ends, there, form, between, zone, digits, 10**scale, *_YEARS[scale], out, odd)
    values = out.astype(np.int32) if form == DATE else out
    return pa.array(values, mask=odd | ~there).view(to_arrow(kind)), odd
