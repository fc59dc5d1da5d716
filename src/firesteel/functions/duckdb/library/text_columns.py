"""Text functions over a whole column, if their other arguments are the same in all rows.

Each function returns None if it cannot compute the column. It is then called row by row.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.functions.java.re2_pattern import GROUP, re2_pattern


def replace(texts: pa.Array, old: str, new: str) -> pa.Array | None:
    """Return the texts with each occurrence of `old` replaced."""
    return pc.replace_substring(texts, old, new) if old else None


def split_index(texts: pa.Array, separator: str, index: int) -> pa.Array | None:
    """Return the part of each text at an index, counted from 0.

    The part is NULL for an empty text, and for a text with too few parts.

    Returns:
        The column of parts. None if the separator is empty or the index is negative: the caller then computes
        the column row by row.
    """
    if not separator or index < 0:
        return None
    parts = pc.split_pattern(texts, separator, max_splits=index + 1)
    offsets = parts.offsets.to_numpy()
    at = offsets[:-1] + index
    is_there = (at < offsets[1:]) & np.asarray(pc.not_equal(texts, "").fill_null(False))
    return parts.values.take(pa.array(at, mask=~is_there))


def regexp(texts: pa.Array, pattern: str) -> pa.Array | None:
    """Return for each text whether the pattern is found in it.

    None if RE2, the engine of Arrow, might find something else than Java.
    """
    found = re2_pattern(pattern, 0)
    try:
        return None if found is None else pc.match_substring_regex(texts, found)
    except pa.ArrowInvalid:  # RE2 rejects the pattern.
        return None


def regexp_extract(texts: pa.Array, pattern: str, group: int = 0) -> pa.Array | None:
    """Return the text of a group in the first match of each text, with NULL for a text without a match.

    The result is None if RE2, the engine of Arrow, might find something else than Java.
    """
    found = re2_pattern(pattern, group)
    try:
        return None if found is None else pc.struct_field(pc.extract_regex(texts, found), GROUP)
    except pa.ArrowInvalid:  # RE2 rejects the pattern.
        return None
