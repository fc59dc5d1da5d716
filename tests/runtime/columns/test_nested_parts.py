"""Parts of nested columns, whatever is missing and however a column is cut."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.columns.nested_parts import part_of
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import INT, STRING, array, map_of, row
from firesteel.types.value_parts import Path

KIND = row(("a", "m", "l"), (INT, map_of(STRING, INT), array(row(("b",), (STRING,)))))
TEXTS = st.one_of(st.none(), st.sampled_from(["", "k", "other"]))
NUMBERS = st.one_of(st.none(), st.integers(0, 9))
ENTRIES = st.lists(st.fixed_dictionaries({"$key": TEXTS, "$value": NUMBERS}), max_size=3)
ELEMENTS = st.lists(st.one_of(st.none(), st.fixed_dictionaries({"b": TEXTS})), max_size=3)
ROWS = st.fixed_dictionaries({"a": NUMBERS, "m": st.none() | ENTRIES, "l": st.none() | ELEMENTS})


def expected(value: Any, path: Path) -> Any:
    """The same of one value."""
    for step in path:
        if value is None:
            return None
        if isinstance(step, int):
            value = value[step - 1] if step <= len(value) else None
        elif isinstance(value, dict):
            value = value[step]
        else:
            value = next((entry["$value"] for entry in value if (entry["$key"] or "") == step), None)
    return value


@pytest.mark.parametrize("path", [("a",), ("m", "k"), ("m", ""), ("l", 1, "b"), ("l", 3, "b")], ids=str)
@settings(deadline=None)  # a busy machine
@given(rows=st.lists(st.none() | ROWS, max_size=8), start=st.integers(0, 3))
def test_part(path: Path, rows: list[Any], start: int) -> None:
    column = pa.array(rows, to_arrow(KIND)).slice(start)
    assert part_of(column, path).to_pylist() == [expected(value, path) for value in rows[start:]]


def test_what_stands_under_no_row_is_not_read() -> None:
    hidden = pa.StructArray.from_arrays([pa.array([1, 2])], ["a"], mask=pa.array([True, False]))
    assert part_of(hidden, ("a",)).to_pylist() == [None, 2]


def test_values_that_all_lists_have_are_not_copied() -> None:
    lists = pa.array([[1], [2]])
    assert part_of(lists, (1,)).buffers()[1].address == lists.values.buffers()[1].address
