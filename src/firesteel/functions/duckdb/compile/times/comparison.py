"""Compilation of comparisons of two timestamps, of which one has more digits than microseconds.

The comparison uses microseconds: nanoseconds in 64 bits hold only the years 1677 to 2262.
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

    A moment in nanoseconds is at or after its microseconds. If the microseconds are equal, the rest decides.
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
