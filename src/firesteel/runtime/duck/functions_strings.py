"""String functions with Flink's meaning. Flink: SqlFunctionUtils, BinaryStringDataUtil.

Positions count characters from 1. Java's upper and lower case in the English locale are Python's.
"""

from __future__ import annotations


def upper(text: str) -> str:
    return text.upper()


def lower(text: str) -> str:
    return text.lower()
