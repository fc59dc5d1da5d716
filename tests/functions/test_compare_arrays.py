"""Arrays are equal by their bytes where both are binary, else element by element (Flink's answers)."""

from __future__ import annotations

import pytest

from firesteel.errors import NotSupportedError
from firesteel.types.sql import BIGINT, INT, STRING, array
from tests.functions.evaluate import evaluate

COLUMNS = {
    "a": (array(INT), [[1, 2], [None], [], None, [1, None]]),
    "b": (array(INT), [[1, 2], [None], [], [1], [1, None]]),
    "s": (array(STRING), [["1", "2"], [None], [], ["1"], None]),
    "l": (array(BIGINT), [[1, 2], [None], [], [1], [1, None]]),
    "n": (array(array(INT)), [[[1], [2]], [[None]], [None], [], None]),
    "o": (array(array(INT)), [[[1], [2]], [[None]], [None], [], [[1]]]),
    "i": (INT, [1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize(
    ("expression", "from_source", "from_exchange"),
    [
        ("a = b", "TRUE FALSE TRUE <NULL> FALSE", "TRUE TRUE TRUE <NULL> TRUE"),
        ("a <> b", "FALSE TRUE FALSE <NULL> TRUE", "FALSE FALSE FALSE <NULL> FALSE"),
        ("b = a", "TRUE FALSE TRUE <NULL> FALSE", "TRUE TRUE TRUE <NULL> TRUE"),
        ("a IS NOT DISTINCT FROM b", "TRUE FALSE TRUE FALSE FALSE", "TRUE TRUE TRUE FALSE TRUE"),
        ("n = o", "TRUE FALSE FALSE TRUE <NULL>", "TRUE TRUE TRUE TRUE <NULL>"),
        ("ARRAY[1, NULL] = a", "FALSE FALSE FALSE <NULL> FALSE", "FALSE FALSE FALSE <NULL> TRUE"),
        ("ARRAY[i, NULL] = ARRAY[1, NULL]", *["TRUE FALSE FALSE FALSE FALSE"] * 2),
        ("ARRAY_REVERSE(a) = ARRAY_REVERSE(b)", *["TRUE FALSE TRUE <NULL> FALSE"] * 2),
        ("CAST(a AS ARRAY<BIGINT>) = l", *["TRUE FALSE TRUE <NULL> FALSE"] * 2),
    ],
)
def test_null_elements(expression: str, from_source: str, from_exchange: str) -> None:
    assert " ".join(evaluate(expression, COLUMNS, exchanged=False)) == from_source
    assert " ".join(evaluate(expression, COLUMNS, exchanged=True)) == from_exchange


@pytest.mark.parametrize(
    ("expression", "from_source"),
    [
        ("a = s", "FALSE FALSE TRUE <NULL> <NULL>"),
        ("a <> s", "TRUE TRUE FALSE <NULL> <NULL>"),
        ("a = n", "FALSE FALSE FALSE <NULL> <NULL>"),
    ],
)
def test_elements_of_unlike_types(expression: str, from_source: str) -> None:
    assert " ".join(evaluate(expression, COLUMNS, exchanged=False)) == from_source
    with pytest.raises(NotSupportedError, match="byte by byte"):
        evaluate(expression, COLUMNS, exchanged=True)


def test_bytes_of_unlike_types_are_not_compared() -> None:
    with pytest.raises(NotSupportedError, match="byte by byte"):
        evaluate("ARRAY[1] = ARRAY[TRUE]")
