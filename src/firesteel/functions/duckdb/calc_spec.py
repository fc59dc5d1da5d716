"""Specs of expressions for DuckDB: projections, filters and sets of values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

from firesteel.types.sql import APPROXIMATE, CHARACTER, INTEGERS, INTERVALS, SqlType, TypeRoot
from firesteel.types.user_function import UserFunction
from firesteel.types.value_parts import Path

IN_PLACE_OF_NULL: dict[TypeRoot, bool | int | str | date] = {
    TypeRoot.BOOLEAN: False,
    **dict.fromkeys((*INTEGERS, *APPROXIMATE, *INTERVALS), -1),
    **dict.fromkeys(CHARACTER, ""),
    TypeRoot.DATE: date(1969, 12, 31),
}
"""Default values that replace NULL in a NOT NULL column.

If a column is NOT NULL but a value is NULL after all, Flink's generated Java code uses the default value of a
primitive variable (CodeGenUtils.primitiveDefaultValue).

For example, with `table.optimizer.distinct-agg.split.enabled` Flink computes COUNT(DISTINCT x) and MIN(i) in
separate aggregates. Until the second one has sent a result, MIN(i) is NULL, and Flink sends -1.
"""


@dataclass(frozen=True)
class ValueSet:
    """Values of one DuckDB type, for an IN (functions/duckdb/value_sets.py)."""

    kind: str
    """DuckDB type of the values."""
    values: tuple[Any, ...]


@dataclass(frozen=True)
class CalcSpec:
    """Projection and filter as DuckDB SQL over the fields f0, f1, ...

    A step is a group of columns (`text AS f7`) that are computed before the condition or the projection. It
    reads the input and the columns of earlier steps.
    """

    projection: tuple[str, ...]
    """SQL of each output column."""
    types: tuple[SqlType, ...]
    """SQL types of the projection."""
    condition: str | None = None
    """SQL of the filter, or None."""
    functions: tuple[str, ...] = ()
    """Signatures of the Python functions that the SQL calls (functions/duckdb/registry.py)."""
    user: tuple[tuple[str, UserFunction], ...] = ()
    """User-defined functions, by signature."""
    condition_steps: tuple[tuple[str, ...], ...] = ()
    """SQL of the columns that are computed before the condition, step by step."""
    steps: tuple[tuple[str, ...], ...] = ()
    """SQL of the columns that are computed before the projection, step by step."""
    sets: tuple[tuple[str, ValueSet], ...] = ()
    """Sets of values, each with the name of the DuckDB function that tests whether a value is in it."""
    parts: tuple[tuple[int, int, Path], ...] = ()
    """Nested values to append to the input as columns, before DuckDB runs.

    `f2.city` as f7 is (7, 2, ("city",)): its position, that of the nested column, the path in this column.
    """
    reads_watermarks: ClassVar[bool] = False
    sets_timers: ClassVar[bool] = False
    port_order: ClassVar[tuple[int, ...]] = (0,)
