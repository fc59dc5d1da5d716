"""Specs of lookup joins."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class LookupTable:
    """A table whose rows are looked up by key.

    Attributes:
        scan: The table and the columns that are read. They include the keys.
        keys: Positions of the keys in `scan.projection`, ascending.
    """

    scan: ScanSpec
    keys: tuple[int, ...]

    @property
    def types(self) -> tuple[SqlType, ...]:
        """Types of the columns that are read."""
        return tuple(self.scan.types[position] for position in self.scan.projection)


@dataclass(frozen=True)
class Retry:
    """Retries of a key without rows (hint LOOKUP with `lookup_miss`).

    Attributes:
        attempts: Number of further lookups.
        delay: Milliseconds before each of them.
    """

    attempts: int
    delay: int


@dataclass(frozen=True)
class LookupJoinSpec(OperatorSpec):
    """Join each row with the rows that a table has for its key (Flink: LookupJoinRunner).

    Attributes:
        table: The table.
        args: Projection of the input to the keys, in the order of `table.keys`.
        pads: Whether a row without a partner is sent with NULLs.
        calc: Projection and filter over the table's columns. None takes the rows as they are.
        types: Types of the table's columns after `calc`.
        before: Condition over the input, a Calc without a projection. Rows that fail it have no partner.
        condition: Condition over the input's fields, then the table's columns. A Calc without a projection.
        retry: Retries of keys without rows, None for no retries.
    """

    table: LookupTable
    args: CalcSpec
    pads: bool
    types: tuple[SqlType, ...]
    calc: CalcSpec | None = None
    before: CalcSpec | None = None
    condition: CalcSpec | None = None
    retry: Retry | None = None


@dataclass(frozen=True)
class ResolvedLookupJoinSpec(OperatorSpec):
    """Lookup join that stores the found rows of each input row until the input row is retracted.

    Attributes:
        join: The join.
        input_types: Types of the input's columns.
        keys: Positions of the columns that identify a row.
        replaces: Whether the input is an upsert stream. If True, an added row replaces the stored row that
            has the same `keys`. The input sends no -U for the replaced row.
        ttl: Milliseconds that the rows of a key are kept, 0 for no limit.
        state_id: Name of the state.
    """

    join: LookupJoinSpec
    input_types: tuple[SqlType, ...]
    keys: tuple[int, ...]
    replaces: bool = False
    ttl: int = 0
    state_id: str = "lookup-join"
