"""Values as `firesteel why` and `firesteel state` write them."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from firesteel.session.inspection.value_text import value_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (datetime(2026, 1, 31, 12, 0, 0, 120_000), "2026-01-31 12:00:00.120"),
        (datetime(2026, 1, 31, 12, 0, 0, 120_001), "2026-01-31 12:00:00.120001"),
        (datetime(2026, 1, 31, 12, 0, 0), "2026-01-31 12:00:00"),
        (time(12, 0, 0, 500_000), "12:00:00.500"),
        (None, "NULL"),
        (b"\x01\xff", "x'01ff'"),
        ([1, None], "[1, NULL]"),
        ({"a": 1, "b": "c"}, "(1, c)"),
    ],
)
def test_values(value: object, text: str) -> None:
    assert value_text(value) == text
