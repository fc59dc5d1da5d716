"""Difference of a state at two points: the entries that are gone and those that are new."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.errors import UsageError
from firesteel.runtime.columns.keys import find_keys
from firesteel.session.inspection.state_report import StateReport, operator_named
from firesteel.session.inspection.value_text import value_text
from firesteel.types.python_values import python_values
from firesteel.types.text import NULL_TEXT

SIDE = "side"
"""Column of a difference: `-` for entries that are gone, `+` for new ones."""


@dataclass(frozen=True)
class StateDifference:
    """The difference of one state.

    Attributes:
        operator: Full name of the operator.
        state: Short name of the state.
        before: Number of live entries before.
        after: Number of live entries after.
        entries: The entries that are only in one of the two states: SIDE, then the columns of the state. An
            entry whose value has changed is there twice.
    """

    operator: str
    state: str
    before: int
    after: int
    entries: pa.Table

    @property
    def counts(self) -> tuple[int, int]:
        """Return the numbers of entries that are gone and that are new."""
        sides = self.entries.column(SIDE).to_pylist()
        return sides.count("-"), sides.count("+")

    def rows(self) -> list[list[str]]:
        """Return the cells of the entries; the old and the new value of a key are neighbours."""
        columns = [python_values(column) for column in self.entries.columns]
        found = [
            [row[0], *(value_text(value, NULL_TEXT) for value in row[1:])]
            for row in zip(*columns, strict=True)
        ]
        return sorted(found, key=lambda row: (row[1:2], row[0] == "+", row[2:]))


def state_differences(
    before: StateReport, after: StateReport, operator: str | None, key: list[str]
) -> list[StateDifference]:
    """Return the difference of each state of an operator, or of all operators.

    Args:
        before: The state before.
        after: The state after.
        operator: Name of an operator, or the beginning of it; None for all.
        key: Values of the operator's key as text; empty for all keys.

    Raises:
        UsageError: Neither state has such an operator, or a state has other columns after than before.
    """
    operators = before.operators() | after.operators()
    names = sorted(operators) if operator is None else [operator_named(operator, after.name, operators)]
    found = []
    for name in names:
        sides = (before.states(name), after.states(name))
        for state in sorted(sides[0].keys() | sides[1].keys()):
            tables = [
                report.table(states[state], name, key) if state in states else None
                for report, states in zip((before, after), sides, strict=True)
            ]
            found.append(_difference(name, state, tables[0], tables[1]))
    return found


def _difference(
    operator: str, state: str, before: pa.Table | None, after: pa.Table | None
) -> StateDifference:
    known = [table for table in (before, after) if table is not None and table.num_columns]
    if not known:
        return StateDifference(operator, state, 0, 0, pa.table({SIDE: pa.array([], pa.string())}))
    one, other = (known[0].slice(0, 0) if each is None else each for each in (before, after))
    filled = [table for table in (one, other) if table.num_rows]
    if len(filled) == 2 and filled[0].schema != filled[1].schema:
        raise UsageError(
            f"the state {state} of {operator} has other columns after than before",
            hint="compare checkpoints of the same script and the same version of Firesteel",
        )
    both = pa.concat_tables(filled or [one]).combine_chunks()
    entries = _surplus(both, one.num_rows)
    return StateDifference(operator, state, one.num_rows, other.num_rows, entries)


def _surplus(both: pa.Table, split: int) -> pa.Table:
    """Return the entries that are only in one of the two states, with SIDE as the first column.

    Entries are equal if all columns are equal. One state may have several equal entries: a map state stores
    a hash of its key, and the columns do not show the hash. If one state has n more equal entries than the
    other, the result has n rows for them.

    Args:
        both: The entries before, then those after.
        split: Number of entries before.
    """
    codes = find_keys([_comparable(column) for column in both.columns], both.num_rows).codes
    distinct, first = np.unique(codes, return_index=True)
    counts = np.zeros(len(distinct), np.int64)
    np.add.at(counts, codes, np.where(np.arange(both.num_rows) < split, -1, 1))
    places = np.repeat(first, np.abs(counts))
    sides = np.repeat(np.where(counts < 0, "-", "+"), np.abs(counts))
    return both.take(pa.array(places)).add_column(0, SIDE, pa.array(sides.tolist(), pa.string()))


def _comparable(column: pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return a column that can be hashed: nested values become texts."""
    if pa.types.is_nested(column.type):
        return pa.array([None if value is None else repr(value) for value in column.to_pylist()], pa.string())
    return column
