"""Numbers as Java 17 writes them, where the fewest digits would be others."""

from __future__ import annotations

import pytest

from firesteel.types.primitive_text import double_text, float_text


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7.867730405619612e18, "7.8677304056196116E18"),
        (-9.223372036854775e18, "-9.2233720368547748E18"),
        (9007199254740992.0, "9.007199254740992E15"),
        (1e18, "1.0E18"),
        (1e23, "1.0E23"),
        (5e-324, "4.9E-324"),
        (123456.5, "123456.5"),
    ],
)
def test_doubles(value: float, expected: str) -> None:
    assert double_text(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2147483648.0, "2.14748365E9"),
        (11699999744.0, "1.16999997E10"),
        (16777216.0, "1.6777216E7"),
        (0.1, "0.1"),
    ],
)
def test_floats(value: float, expected: str) -> None:
    assert float_text(value) == expected
