"""Arithmetic of literals: all digits of a DECIMAL, and NULL where its type cannot hold the result."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.functions.expression.nodes import Literal
from firesteel.rules.normalize.fold_constants import fold_constants
from tests.functions.evaluate import bind

NINES = f"CAST(NULLIF('{'9' * 38}', '') AS DECIMAL(38, 0))"
LONG = "CAST(NULLIF('12345678901234567890.123456789', '') AS DECIMAL(30, 10))"


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (f"{NINES} + 1", None),
        (f"{NINES} - 1", Decimal("9" * 37 + "8")),
        (f"- {NINES}", Decimal("-" + "9" * 38)),
        (f"MOD({NINES}, 7)", Decimal(int("9" * 38) % 7)),
        (f"{LONG} + 0.00000000001", Decimal("12345678901234567890.12345678901")),
    ],
)
def test_decimals_keep_all_digits_or_are_null(expression: str, expected: Decimal | None) -> None:
    found = fold_constants(bind(expression))
    assert isinstance(found, Literal)
    assert found.value == expected


def test_a_decimal_is_a_json_document() -> None:
    found = fold_constants(bind("JSON_VALUE(CAST(1 AS DECIMAL(10, 2)), '$')"))
    assert isinstance(found, Literal)
    assert found.value == "1.00"
