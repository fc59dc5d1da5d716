"""Text functions in columns have the results of the functions row by row."""

from __future__ import annotations

from typing import Any

import duckdb
import pyarrow as pa
import pytest

from firesteel.functions.duckdb import registry
from firesteel.functions.duckdb.library import patterns, strings, text_columns

REPLACE = "strings.replace|VARCHAR|VARCHAR|VARCHAR|VARCHAR"
SPLIT_INDEX = "patterns.split_index|VARCHAR|VARCHAR|INTEGER|VARCHAR"
TEXTS = ["a,b,,c", "", None, ",", "abc", "é,😀,b", "a,b"]


def in_duckdb(signature: str, *columns: list[Any]) -> list[Any]:
    """Call a registered function over columns."""
    with duckdb.connect() as connection:
        registry.register(connection, signature)
        connection.register("t", pa.table({f"c{at}": column for at, column in enumerate(columns)}))
        arguments = ", ".join(f"c{at}" for at in range(len(columns)))
        return [row[0] for row in connection.execute(f'SELECT "{signature}"({arguments}) FROM t').fetchall()]


@pytest.mark.parametrize("index", [-1, 0, 1, 3, 9])
@pytest.mark.parametrize("separator", [",", "😀", ",b", ""])
def test_split_index(separator: str, index: int) -> None:
    count = len(TEXTS)
    expected = [patterns.split_index(text, separator, index) for text in TEXTS]
    assert (
        in_duckdb(SPLIT_INDEX, TEXTS, [separator] * count, pa.array([index] * count, pa.int32())) == expected
    )


@pytest.mark.parametrize(("old", "new"), [(",", ""), ("b", "😀"), ("", "-"), ("ab", "b")])
def test_replace(old: str, new: str) -> None:
    expected = [None if text is None else strings.replace(text, old, new) for text in TEXTS]
    count = len(TEXTS)
    assert (
        in_duckdb("strings.replace|VARCHAR|VARCHAR|VARCHAR|VARCHAR", TEXTS, [old] * count, [new] * count)
        == expected
    )


def test_arguments_that_differ_are_taken_row_by_row() -> None:
    separators = [",", ",", ",", None, "b", ",", "b"]
    found = in_duckdb(
        "patterns.split_index|VARCHAR|VARCHAR|INTEGER|VARCHAR",
        TEXTS,
        separators,
        pa.array([0] * len(TEXTS), pa.int32()),
    )
    assert found == ["a", None, None, None, "a", "é", "a,"]


def test_null_arguments_are_taken_row_by_row() -> None:
    none = pa.nulls(len(TEXTS), pa.string())
    assert in_duckdb("strings.replace|VARCHAR|VARCHAR|VARCHAR|VARCHAR", TEXTS, none, none) == [None] * len(
        TEXTS
    )


def test_a_slice_of_a_column() -> None:
    column = pa.array(TEXTS).slice(3)
    found = text_columns.split_index(column, ",", 1)
    assert found is not None
    assert found.to_pylist() == ["", None, "😀", "b"]


def test_an_expression_that_re2_refuses_is_left_to_java() -> None:
    column = pa.array(["a5", "-"])
    assert text_columns.regexp(column, r"[z-a]") is None
    assert text_columns.regexp_extract(column, r"a{5,2}") is None
