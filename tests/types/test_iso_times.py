"""Fractions of any length are read, by Python 3.10 too."""

from __future__ import annotations

from datetime import datetime, time

import pytest

from firesteel.types.iso_times import moment_of_iso, time_of_iso


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10:11", time(10, 11)),
        ("10:11:12", time(10, 11, 12)),
        ("10:11:12.5", time(10, 11, 12, 500_000)),
        ("10:11:12.0345", time(10, 11, 12, 34_500)),
        ("10:11:12.123456789", time(10, 11, 12, 123_456)),
    ],
)
def test_times(text: str, expected: time) -> None:
    assert time_of_iso(text) == expected
    assert moment_of_iso(f"2026-01-31T{text}") == datetime.combine(datetime(2026, 1, 31), expected)


@pytest.mark.parametrize("text", ["", "10:11:12.", "10:11:12.5x", "25:00:00"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        time_of_iso(text)
