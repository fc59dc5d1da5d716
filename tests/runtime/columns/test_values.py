"""Columns to the row handler's values and keys, and back."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.types.internal_values import from_key, from_list, to_keys, to_list
from firesteel.types.sql import (
    BYTES,
    DOUBLE,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    decimal,
    map_of,
    row,
    timestamp,
)

COLUMNS: list[tuple[SqlType, list[Any]]] = [
    (array(DOUBLE), [[0.0, None, -0.0], None, [], [float("inf")]]),
    (SqlType(TypeRoot.MULTISET, children=(DOUBLE,)), [[(1.5, 2), (-0.0, -1)], None, []]),
    (array(row(("x",), (INT,))), [[(1,), None, (None,)], None]),
    (array(array(BYTES)), [[[b"a", None], None, []], []]),
    (
        row(("a", "b"), (array(decimal(10, 2)), map_of(STRING, timestamp(9)))),
        [([1, None, 300], [("x", 123456789)]), None, ([], None), (None, []), ([5], [("q", None), ("r", 7)])],
    ),
]


@pytest.mark.parametrize(("kind", "values"), COLUMNS, ids=lambda each: str(each) if each else "")
def test_nested_values_come_back(kind: SqlType, values: list[Any]) -> None:
    column = from_list(values, kind)
    column.validate(full=True)
    for start in range(len(values) + 1):
        assert to_list(column.slice(start), kind) == values[start:]
    keys = to_keys(column, kind)
    hash(tuple(keys))
    assert repr([from_key(key, kind) for key in keys]) == repr(values)


def test_keys_are_equal_where_the_bytes_are() -> None:
    kind = array(DOUBLE)
    keys = to_keys(from_list([[0.0], [-0.0], [float("nan")], [float("nan")]], kind), kind)
    assert len(set(keys)) == 3
