"""Conversion of whole columns to text, for types whose values Arrow writes as Flink does."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.types.sql import CHARACTER, INTEGERS, SqlType, TypeRoot

_DAYS = (-719_162, 2_932_896)
"""First and last day, counted from 1970, of the years that Arrow writes with four digits: 1 to 9999."""
_DAY_SECONDS = 86_400
_A_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9}


def column_texts(kind: SqlType, values: pa.Array) -> pa.StringArray | None:
    """Return the values as text, NULL for NULL.

    Returns:
        The texts, or None if Flink may write a value differently.
    """
    root = kind.root
    if root in CHARACTER:
        return values
    if root in INTEGERS or root is TypeRoot.BOOLEAN:
        return values.cast(pa.string())
    if root is TypeRoot.DATE:
        return values.cast(pa.string()) if _is_within(values.cast(pa.int32()), *_DAYS) else None
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return _timestamp_texts(values, "Z" if root is TypeRoot.TIMESTAMP_LTZ else "")
    return None


def _timestamp_texts(values: pa.Array, zone: str) -> pa.StringArray | None:
    """Return timestamps as texts, such as `2024-05-20 10:30:00.25Z`. NULL stays NULL.

    Args:
        values: Timestamps. Trailing zeros of their fraction are not written.
        zone: Text to append to each timestamp: "Z" for TIMESTAMP_LTZ, "" for TIMESTAMP.

    Returns:
        The texts, or None if any year is outside 1 to 9999.
    """
    per_day = _DAY_SECONDS * _A_SECOND[values.type.unit]
    if not _is_within(values.cast(pa.int64()), _DAYS[0] * per_day, (_DAYS[1] + 1) * per_day - 1):
        return None
    whole = values.cast(pa.timestamp(values.type.unit)).cast(pa.string())
    texts = pc.utf8_rtrim(pc.utf8_rtrim(whole, characters="0"), characters=".")
    return pc.binary_join_element_wise(texts, zone, "") if zone else texts


def _is_within(values: pa.Array, least: int, most: int) -> bool:
    ends = pc.min_max(values).as_py()
    return ends["min"] is None or (ends["min"] >= least and ends["max"] <= most)
