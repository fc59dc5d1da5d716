"""Values that drivers give, as those of SQL types."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.connectors.jdbc.values import from_database
from firesteel.types.sql import decimal


def test_numbers_of_any_length_that_a_database_has() -> None:
    """Flink: DecimalData.fromBigDecimal rounds HALF_UP, and is NULL where there are too many digits."""
    long = Decimal("1." + "5" * 16_383)
    huge = Decimal("9" * 131_072 + ".5")
    found = from_database([long, huge, Decimal("-0.005"), "12" * 60, None], decimal(10, 2))
    assert found.to_pylist() == [Decimal("1.56"), None, Decimal("-0.01"), None, None]


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), Decimal("sNaN"), "x"])
def test_what_is_no_number(value: object) -> None:
    with pytest.raises(ValueError, match=r"is no DECIMAL\(10, 2\)"):
        from_database([value], decimal(10, 2))
