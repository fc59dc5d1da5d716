"""BITMAP functions as Flink answered."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.errors import JobError, ValidationError
from firesteel.types import sql
from tests.functions.evaluate import bind, evaluate, one, type_of

INTS = sql.array(sql.INT)
EVERY_SECOND = list(range(0, 8192, 2))


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([5, 3, 3, 1], "{1,3,5}"),
        ([], "{}"),
        ([1, None, 2], "{1,2}"),
        ([-1, 0, -2147483648, 2147483647], "{0,2147483647,2147483648,4294967295}"),
        (None, "<NULL>"),
    ],
)
def test_built_and_shown(values: Any, text: str) -> None:
    for expression in (
        "BITMAP_BUILD(a)",
        "BITMAP_TO_STRING(BITMAP_BUILD(a))",
        "CAST(BITMAP_BUILD(a) AS STRING)",
    ):
        assert one(expression, a=(INTS, values)) == text


def test_a_long_text_is_cut() -> None:
    text = one("BITMAP_TO_STRING(BITMAP_BUILD(a))", a=(INTS, list(range(200_000))))
    assert text.endswith(",89232,...}")
    assert len(text) == 0x80000 + 5


@pytest.mark.parametrize(
    ("values", "data"),
    [
        ([], "3a30000000000000"),
        ([5], "3a3000000100000000000000100000000500"),
        ([1, 2, 3], "3a300000010000000000020010000000010002000300"),
        ([1, 2, 3, 4], "3b3000000100000300010001000300"),
        (list(range(100)), "3b3000000100006300010000006300"),
        ([-1], "3a300000010000" + "00ffff0000" + "10000000ffff"),
    ],
)
def test_bytes(values: list[int], data: str) -> None:
    assert one("BITMAP_TO_BYTES(BITMAP_BUILD(a))", a=(INTS, values)) == f"x'{data}'"
    assert one("CAST(BITMAP_BUILD(a) AS BYTES)", a=(INTS, values)) == f"x'{data}'"
    read = one("BITMAP_TO_ARRAY(BITMAP_FROM_BYTES(y))", y=(sql.BYTES, bytes.fromhex(data)))
    assert read == f"[{', '.join(map(str, values))}]"


def test_three_in_a_row_are_an_array_or_a_run_by_where_they_come_from() -> None:
    ten, seven = list(range(1, 11)), list(range(4, 11))
    less = "BITMAP_ANDNOT({}, BITMAP_BUILD(b))"
    columns = {"a": (INTS, ten), "b": (INTS, seven)}
    built = f"BITMAP_TO_BYTES({less.format('BITMAP_BUILD(a)')})"
    assert one(built, **columns) == "x'3a300000010000000000020010000000010002000300'"
    runs = less.format("BITMAP_FROM_BYTES(BITMAP_TO_BYTES(BITMAP_BUILD(a)))")
    assert one(f"BITMAP_TO_BYTES({runs})", **columns) == "x'3b3000000100000200010001000200'"


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("BITMAP_AND", "{3,4294967295}"),
        ("BITMAP_OR", "{1,2,3,4,4294967295}"),
        ("BITMAP_XOR", "{1,2,4}"),
        ("BITMAP_ANDNOT", "{1,2}"),
    ],
)
def test_of_two(function: str, text: str) -> None:
    call = f"{function}(BITMAP_BUILD(a), BITMAP_BUILD(b))"
    columns: dict[str, Any] = {"a": (INTS, [[1, 2, 3, -1], [1]]), "b": (INTS, [[3, 4, -1], None])}
    assert evaluate(call, columns) == [text, "<NULL>"]


def test_cardinality() -> None:
    count = "BITMAP_CARDINALITY(BITMAP_BUILD(a))"
    columns: dict[str, Any] = {"a": (INTS, [EVERY_SECOND, [], None, [7, 7]])}
    assert evaluate(count, columns) == ["4096", "0", "<NULL>", "1"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("BITMAP_BUILD(a) = BITMAP_BUILD(b)", ["TRUE", "FALSE", "<NULL>"]),
        ("BITMAP_BUILD(a) <> BITMAP_BUILD(b)", ["FALSE", "TRUE", "<NULL>"]),
        ("BITMAP_BUILD(a) IS NOT DISTINCT FROM BITMAP_BUILD(b)", ["TRUE", "FALSE", "FALSE"]),
        (
            "BITMAP_BUILD(a) = BITMAP_FROM_BYTES(BITMAP_TO_BYTES(BITMAP_BUILD(b)))",
            ["TRUE", "FALSE", "<NULL>"],
        ),
    ],
)
def test_equality(expression: str, expected: list[str]) -> None:
    columns: dict[str, Any] = {"a": (INTS, [[3, 2, 1, 0], [1], [1]]), "b": (INTS, [[0, 1, 2, 3], [2], None])}
    assert evaluate(expression, columns) == expected


@pytest.mark.parametrize("data", ["", "3a30", "3a300000", "3a30000001000000", "00", "3b30", "0102"])
def test_bytes_that_are_no_bitmap(data: str) -> None:
    with pytest.raises(JobError, match=r"Failed to deserialize bitmap from bytes\."):
        one("BITMAP_FROM_BYTES(y)", y=(sql.BYTES, bytes.fromhex(data)))


def test_bytes_after_a_bitmap_are_left_out() -> None:
    data = bytes.fromhex("3A3000000100000000000100100000000100020099")
    assert one("BITMAP_FROM_BYTES(y)", y=(sql.BYTES, data)) == "{1,2}"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("BITMAP_BUILD(a)", "BITMAP"),
        ("BITMAP_BUILD(ARRAY[1])", "BITMAP NOT NULL"),
        ("BITMAP_TO_BYTES(BITMAP_BUILD(ARRAY[1]))", "BYTES NOT NULL"),
        ("BITMAP_TO_ARRAY(BITMAP_BUILD(ARRAY[1]))", "ARRAY<INT> NOT NULL"),
        ("BITMAP_TO_STRING(BITMAP_BUILD(a))", "STRING"),
        ("BITMAP_CARDINALITY(BITMAP_BUILD(ARRAY[1]))", "BIGINT NOT NULL"),
        ("BITMAP_AND(BITMAP_BUILD(ARRAY[1]), BITMAP_BUILD(a))", "BITMAP"),
        ("BITMAP_BUILD(ARRAY[CAST(1 AS SMALLINT)])", "BITMAP NOT NULL"),
    ],
)
def test_types(expression: str, expected: str) -> None:
    assert type_of(expression, {"a": (INTS, [])}) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "BITMAP_BUILD(1)",
        "BITMAP_BUILD(ARRAY['x'])",
        "BITMAP_BUILD(ARRAY[CAST(1 AS BIGINT)])",
        "BITMAP_AND(a, a)",
        "BITMAP_AND(BITMAP_BUILD(a))",
        "BITMAP_CARDINALITY(a)",
        "BITMAP_FROM_BYTES('x')",
        "BITMAP_BUILD(a) < BITMAP_BUILD(a)",
        "BITMAP_BUILD(a) = BITMAP_BUILD(ARRAY[1])",
        "CASE WHEN TRUE THEN BITMAP_BUILD(ARRAY[1]) END",
        "GREATEST(BITMAP_BUILD(a), BITMAP_BUILD(a))",
        "IF(TRUE, BITMAP_BUILD(a), BITMAP_BUILD(a))",
        "CAST(BITMAP_BUILD(a) AS VARBINARY(3))",
        "CAST(BITMAP_BUILD(a) AS INT)",
        "CAST(BITMAP_BUILD(ARRAY[1]) AS BYTES)",
        "BITMAP_BUILD(a) IS DISTINCT FROM BITMAP_BUILD(ARRAY[1])",
        "CAST(a AS BITMAP)",
        "JSON_STRING(BITMAP_BUILD(a))",
    ],
)
def test_what_is_refused(expression: str) -> None:
    with pytest.raises(ValidationError):
        bind(expression, {"a": (INTS, [[1]])})


@pytest.mark.parametrize("kind", [sql.TINYINT, sql.SMALLINT])
def test_null_among_smaller_integers_is_zero(kind: sql.SqlType) -> None:
    assert one("BITMAP_BUILD(ARRAY[v])", v=(kind, None)) == "{0}"
    assert one("BITMAP_BUILD(CAST(ARRAY[v] AS ARRAY<INT>))", v=(kind, None)) == "{}"
    assert one("BITMAP_BUILD(ARRAY[v, CAST(5 AS SMALLINT)])", v=(kind, 300 % 128)) == "{5,44}"
