"""Types of numbers as they are written, and the numbers that Flink finds out of range."""

from __future__ import annotations

import pytest

from firesteel.bind.scalar.literals import number
from firesteel.errors import ValidationError


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("2147483647", "INT"),
        ("2147483648", "BIGINT"),
        ("9223372036854775807", "BIGINT"),
        ("5.", "INT"),
        (".5", "DECIMAL(1, 1)"),
        ("922337203685477580.7", "DECIMAL(19, 1)"),
        ("00000000000000000001.5", "DECIMAL(21, 1)"),
        ("99999999999999999999e0", "DOUBLE"),
    ],
)
def test_the_type_of_a_number(text: str, kind: str) -> None:
    assert str(number(text).type) == f"{kind} NOT NULL"


@pytest.mark.parametrize("text", ["9223372036854775808", "922337203685477580.8", "1.50000000000000000000"])
def test_digits_beyond_a_bigint_are_out_of_range(text: str) -> None:
    with pytest.raises(ValidationError, match=f"Numeric literal '{text}' out of range"):
        number(text)


@pytest.mark.parametrize("text", ["9223372036854775808", "922337203685477580.8"])
def test_the_least_bigint_has_a_minus(text: str) -> None:
    assert str(number(text, negated=True).value) == text
    with pytest.raises(ValidationError, match="Numeric literal '-9223372036854775809' out of range"):
        number("9223372036854775809", negated=True)
