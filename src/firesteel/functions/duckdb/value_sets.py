"""Sets of values as DuckDB functions, which test an IN of many values with one hash lookup."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.functions.duckdb.calc_spec import ValueSet
from firesteel.functions.duckdb.registry import create
from firesteel.types.duckdb import arrow_of


def register_set(connection: duckdb.DuckDBPyConnection, name: str, members: ValueSet) -> None:
    """Register a set as a function of one value: TRUE if it is in the set, FALSE, or NULL for NULL.

    0.0 and -0.0 count as equal.
    """
    kind = arrow_of(members.kind)
    values = pa.array(members.values, kind)
    if pa.types.is_floating(kind):
        zeros = [0.0, -0.0] if 0.0 in members.values else []
        values = pa.concat_arrays([values, pa.array(zeros, kind)])

    def call(column: Any) -> pa.Array:
        found = pc.is_in(column if column.type == kind else column.cast(kind), value_set=values)
        return found if not column.null_count else pc.if_else(column.is_valid(), found, None)

    create(connection, name, call, [members.kind], "BOOLEAN", side_effects=False)
