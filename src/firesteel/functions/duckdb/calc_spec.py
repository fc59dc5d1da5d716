"""Specs of expressions that DuckDB computes: projections, filters, sets of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction
from firesteel.types.value_parts import Path


@dataclass(frozen=True)
class ValueSet:
    """Values of one DuckDB type, for an IN (functions/duckdb/value_sets.py)."""

    kind: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class CalcSpec:
    """Projection and filter, as DuckDB SQL over the fields f0, f1, ...

    condition_steps and steps are columns (`text AS f7`) to compute before the condition and before the
    projection. Each step reads the input and the steps before it.
    """

    projection: tuple[str, ...]
    types: tuple[SqlType, ...]
    """SQL types of the projection."""
    condition: str | None = None
    functions: tuple[str, ...] = ()
    """Python functions of the function table that the texts call; the worker registers them first."""
    user: tuple[tuple[str, UserFunction], ...] = ()
    """User-defined functions, by signature."""
    condition_steps: tuple[tuple[str, ...], ...] = ()
    steps: tuple[tuple[str, ...], ...] = ()
    sets: tuple[tuple[str, ValueSet], ...] = ()
    """Sets of values, by name."""
    parts: tuple[tuple[int, int, Path], ...] = ()
    """Columns appended to the input: position, position of the nested column, path into it."""
    reads_marks: ClassVar[bool] = False
    sets_timers: ClassVar[bool] = False
    port_order: ClassVar[tuple[int, ...]] = (0,)
