"""Compilation of comparisons of a timestamp in microseconds with one in nanoseconds.

Both are compared in microseconds: 64 bits of nanoseconds have room only for the years 1677 to 2262.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.times.moments import below_micros, is_fine, micros
from firesteel.types.sql import TIMESTAMPS, SqlType

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


def differ_in_unit(kind: SqlType, other: SqlType) -> bool:
    """Return whether both are timestamps, one in microseconds and one in nanoseconds."""
    return kind.root in TIMESTAMPS and other.root in TIMESTAMPS and is_fine(kind) != is_fine(other)


def compared_in_micros(operator: str, a: str, kind: SqlType, b: str, other: SqlType) -> str:
    """Return the SQL that compares `a` and `b`, of which one is in microseconds and one in nanoseconds.

    The timestamp in nanoseconds is split into whole microseconds and the remaining 0 to 999 nanoseconds.
    First, the microseconds of both timestamps are compared. If they are equal and nanoseconds remain, the
    timestamp in nanoseconds is the greater one. If no nanoseconds remain, the timestamps are equal.
    """
    if is_fine(kind):
        a, kind, b, other, operator = b, other, a, kind, _MIRRORED.get(operator, operator)
    coarse, whole, rest = micros(a, kind), micros(b, other), below_micros(b, other)
    if operator == "=":
        return f"({coarse} = {whole} AND {rest} = 0)"
    if operator == "<>":
        return f"({coarse} <> {whole} OR {rest} <> 0)"
    if operator in (">", "<="):
        return f"({coarse} {operator} {whole})"
    return f"({coarse} {operator} {whole} + CAST({rest} > 0 AS INTEGER))"
