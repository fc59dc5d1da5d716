"""TRUNCATE of approximate numbers, and rounding to as many digits as a column says."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.errors import JobError
from firesteel.types.sql import DOUBLE, FLOAT, INT, decimal
from tests.functions.evaluate import evaluate, one

MONEY = {
    "m": (decimal(10, 2), [Decimal("-99999999.99"), Decimal("99.99"), Decimal("1.15"), None]),
    "p": (INT, [-3, 1, 2, 1]),
}


def test_a_decimal_rounded_to_a_column_is_shown_at_the_scale_of_its_type() -> None:
    assert evaluate("ROUND(m, p)", MONEY) == ["-1000000.00", "10.00", "1.15", "<NULL>"]
    assert evaluate("TRUNCATE(m, p)", MONEY) == ["-999990.00", "9.99", "1.15", "<NULL>"]
    assert evaluate("ROUND(m, p) > 99.9", MONEY)[1:] == ["TRUE", "FALSE", "<NULL>"]


@pytest.mark.parametrize("kind", [FLOAT, DOUBLE])
def test_a_truncated_number_passes_through_eighteen_digits_after_the_point(kind: object) -> None:
    assert one("TRUNCATE(x)", x=(kind, -2.75)) == "-2.0"
    assert one("TRUNCATE(x, 1)", x=(kind, 2.75)) == "2.7"
    assert one("TRUNCATE(x, 30)", x=(kind, 1e-19)) == "0.0"
    with pytest.raises(JobError, match=r"TRUNCATE of .*: more than 20 digits"):
        one("TRUNCATE(x)", x=(kind, 3e38))
