"""GREATEST and LEAST."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.errors import JobError
from firesteel.types.sql import DOUBLE, INT, STRING, decimal
from tests.functions.evaluate import evaluate, one

COLUMNS = {
    "i": (INT, [1, None, 3]),
    "j": (INT, [2, 2, 3]),
    "x": (DOUBLE, [-0.0, 1.0, float("nan")]),
    "s": (STRING, ["\U0001f600", "b", None]),
}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("GREATEST(i, j)", ["2", "<NULL>", "3"]),
        ("LEAST(i, j, 0)", ["0", "<NULL>", "0"]),
        ("GREATEST(j - 1, LEAST(j, i + 5), 2)", ["2", "<NULL>", "3"]),
        ("GREATEST(x, 0e0)", ["0.0", "1.0", "NaN"]),
        ("LEAST(x, 0e0, i)", ["-0.0", "<NULL>", "0.0"]),
        ("GREATEST(s, '\ue000', 'a')", ["\ue000", "\ue000", "<NULL>"]),
    ],
)
def test_values(expression: str, expected: list[str]) -> None:
    assert evaluate(expression, COLUMNS) == expected


def test_many_arguments_and_calls_within_calls() -> None:
    many = ", ".join(f"i + {n}" for n in range(40))
    assert evaluate(f"GREATEST({many})", COLUMNS) == ["40", "<NULL>", "42"]
    deep = "i"
    for n in range(14):
        deep = f"GREATEST({deep}, j + {n})"
    assert evaluate(deep, COLUMNS) == ["15", "<NULL>", "16"]


def test_a_null_decimal_of_another_type_fails() -> None:
    null = (decimal(10, 2), None)
    assert one("GREATEST(m, m)", m=null) == "<NULL>"
    assert one("GREATEST(i, m, 1.5)", m=null, i=(INT, None)) == "<NULL>"
    with pytest.raises(JobError, match=r"GREATEST: a NULL DECIMAL\(10, 2\) cannot be brought into DECIMAL"):
        one("GREATEST(m, i)", m=null, i=(INT, 1))
    assert one("LEAST(m, i)", m=(decimal(10, 2), Decimal("0.50")), i=(INT, 1)) == "0.50"
