"""DECIMALs of 38 digits: Python's own decimal context would round them to 28."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.connectors.java_values import object_hash
from firesteel.runtime.aggregate.functions.user_defined import _to_python
from firesteel.testing.values import _scalar
from firesteel.types import sql

DIGITS = 12345678901234567890123456789012345678


@pytest.mark.parametrize("scale", [0, 10, 38])
def test_no_digit_is_lost(scale: int) -> None:
    kind, value = sql.decimal(38, scale), Decimal(f"{DIGITS}E-{scale}")
    convert, hashed, read = _to_python(kind), object_hash(kind), _scalar(kind, "UTC")
    assert convert is not None
    assert convert(DIGITS) == value
    assert hashed is not None
    assert hashed(str(value)) != hashed(str(Decimal(f"{DIGITS + 1}E-{scale}")))
    assert read is not None
    assert read(f"{value:f}") == value
