"""Convert columns of texts to columns of SQL values, as Flink does.

Texts in an unusual form are flagged as odd: only the exact reader, which reads value by value, converts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Flags
from firesteel.formats.messages.date_time_columns import DATE_TIMES, date_times
from firesteel.formats.messages.json_cells import decimals, text_cells
from firesteel.formats.messages.text_patterns import text_pattern
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot

_BY_ARROW = (
    TypeRoot.TINYINT, TypeRoot.SMALLINT, TypeRoot.INTEGER, TypeRoot.BIGINT, TypeRoot.DOUBLE,
)  # fmt: skip
_AS_THEY_ARE = (*CHARACTER, TypeRoot.DECIMAL, *DATE_TIMES)
"""Types that need no regular expression to find the texts that columns convert.

For CHAR and VARCHAR, every text is a value. For the others, a kernel checks each text.
"""
_EXACT_DIGITS = 15


@dataclass(frozen=True)
class Column:
    """Column of values of a SQL type.

    Attributes:
        values: The values.
        odd: bool[n], rows that the exact reader must read.
    """

    values: pa.Array
    odd: Flags


def are_plain(types: Sequence[SqlType]) -> bool:
    """Return whether `typed` supports all of these types."""
    return all(kind.root in _AS_THEY_ARE or text_pattern(kind) is not None for kind in types)


def typed(texts: pa.StringArray, kind: SqlType, *, iso: bool = False) -> Column:
    """Return a column of texts as values of a SQL type, with flags for texts that cannot be converted here.

    NULL stays NULL.
    """
    target = to_arrow(kind)
    if kind.root in CHARACTER:
        return Column(pc.cast(texts, target), np.zeros(len(texts), dtype=bool))
    if kind.root is TypeRoot.DECIMAL:
        return Column(*decimals(*text_cells(texts), kind))
    if kind.root in _BY_ARROW and (numbers := _plain_numbers(texts, target)) is not None:
        return Column(numbers, np.zeros(len(texts), dtype=bool))
    if kind.root in DATE_TIMES:
        return Column(*date_times(texts, kind, iso=iso))
    pattern = text_pattern(kind)
    matched = pc.match_substring_regex(texts, f"^(?:{pattern})$").fill_null(True)
    odd: Flags = ~matched.to_numpy(zero_copy_only=False)
    if odd.any():
        texts = pc.if_else(matched, texts, pa.scalar(None, texts.type))
    if kind.root in _BY_ARROW:
        return Column(pc.cast(texts, target), odd)
    if kind.root is TypeRoot.FLOAT:
        doubles = pc.cast(texts, pa.float64())
        floats = pc.cast(doubles, target)
        return Column(floats, odd | (_between(doubles, floats) & ~_are_exact(doubles, texts)))
    return Column(pc.equal(pc.ascii_lower(texts), "true"), odd)


def _plain_numbers(texts: pa.StringArray, target: pa.DataType) -> pa.Array | None:
    """Return the values if all texts are valid numbers that consist of digits, `-` and `.`; else None.

    Arrow reads such numbers as Java does.
    """
    _, offsets, data = texts.buffers()
    if data is None:
        return None
    places = np.frombuffer(offsets, dtype=np.int32)
    used = np.frombuffer(data, dtype=np.uint8)[places[texts.offset] : places[texts.offset + len(texts)]]
    if not len(used) or used.min() < ord("-") or used.max() > ord("9"):
        return None
    try:
        return pc.cast(texts, target)
    except pa.ArrowInvalid:
        return None


def _are_exact(doubles: pa.DoubleArray, texts: pa.StringArray) -> Flags:
    """Return which DOUBLEs certainly equal the numbers in their texts, bool[n].

    True for integers with a text of at most 15 characters. Arrow, which casts the DOUBLE to FLOAT, and Java,
    which casts the text, then round the same number. If it is halfway between two FLOATs, both choose the
    FLOAT with an even last bit.
    """
    numbers = doubles.fill_null(0.0).to_numpy(zero_copy_only=False)
    short = pc.binary_length(texts).fill_null(0).to_numpy(zero_copy_only=False) <= _EXACT_DIGITS
    found: Flags = short & (numbers == np.trunc(numbers)) & (np.abs(numbers) < 2.0**53)
    return found


def _between(doubles: pa.DoubleArray, floats: pa.FloatArray) -> Flags:
    """Return which DOUBLEs are halfway between two FLOATs, bool[n].

    Java rounds the text itself to a FLOAT. The text may have digits that its DOUBLE has lost, and that make
    one of the two FLOATs the nearer one.
    """
    exact = doubles.fill_null(0.0).to_numpy(zero_copy_only=False)
    near = pc.cast(floats, pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    with np.errstate(over="ignore", invalid="ignore"):
        other = 2 * exact - near
        found: Flags = (exact != near) & ((other.astype(np.float32) == other) | ~np.isfinite(near))
    return found
