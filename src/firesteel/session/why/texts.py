"""Texts of rows and of entries of states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pyarrow as pa

from firesteel.changelog import KIND, SHORT, field
from firesteel.counted import counted
from firesteel.session.inspection.value_text import value_text
from firesteel.spark.why.steps import State
from firesteel.types.python_values import python_values

_KEY = re.compile(r"k\d+")


def row_texts(rows: pa.Table) -> list[str]:
    """Return each row of a changes table with its kind, such as `+I[Tom, 12]`."""
    width = sum(name[0] == "f" and name[1:].isdigit() for name in rows.column_names)
    columns = [python_values(rows.column(field(number))) for number in range(width)]
    kinds = rows.column(KIND).to_pylist()
    return [
        f"{SHORT[kind]}[{', '.join(value_text(column[at]) for column in columns)}]"
        for at, kind in enumerate(kinds)
    ]


def state_texts(state: State, operator: str, shown: int) -> list[str]:
    """Return texts for the entries of an operator's states, without their keys.

    Args:
        state: The entries of each state, by the state's name.
        operator: Name of the operator, with which the names of its states begin.
        shown: Maximum number of entries of a state. If there are more, a text with their number follows.
    """
    found = []
    for name, table in state.items():
        short = name.removeprefix(operator).strip("./")
        entries = _entries(table.slice(0, shown))
        found += [f"{short}: {entry}" if short else entry for entry in entries]
        if table.num_rows > shown:
            found.append(f"... {counted(table.num_rows - shown, 'more entry', 'more entries')}")
    return found


def _entries(table: pa.Table) -> Iterator[str]:
    names = [name for name in table.column_names if not _KEY.fullmatch(name)] or table.column_names
    columns = [python_values(table.column(name)) for name in names]
    for row in zip(*columns, strict=True):
        yield ", ".join(f"{name}={value_text(value)}" for name, value in zip(names, row, strict=True))


def key_texts(columns: Sequence[pa.Array]) -> list[tuple[str, ...]]:
    """Return keys as texts: for each row of the key columns, a tuple with one text a column."""
    return [tuple(map(value_text, row)) for row in zip(*map(python_values, columns), strict=True)]
