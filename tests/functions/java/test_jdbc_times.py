"""Texts that java.sql.Timestamp.valueOf and Date.valueOf take; the answers are Flink's, of TO_TIMESTAMP with
a pattern that none of them follows."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from firesteel.functions.java.jdbc_times import day_value_of, timestamp_value_of

TAKEN = [
    ("0000-05-13 100:40:06", "0001-05-17 04:40:06"),
    ("1969-05-+3 5:4:6", "1969-05-03 05:04:06"),
    ("2020-05-13 -1:40:06.25", "2020-05-12 23:40:06.25"),
    ("9999-05-31 -1:60:06", "9999-05-31 00:00:06"),
    ("２020-2-13 15:40:61", "2020-02-13 15:41:01"),
    ("0020-+3-31 25:004:06", "0020-04-01 01:04:06"),
    ("1582-10-04 25:00:00", "1582-10-15 01:00:00"),
    ("1582-10-10 1:1:1", "1582-10-20 01:01:01"),
    ("1500-02-30 0:0:0", "1500-03-01 00:00:00"),
    ("2021-02-30 0:0:0", "2021-03-02 00:00:00"),
    ("0000-12-31 24:00:00", "0001-01-01 00:00:00"),
]
REFUSED = [
    "2020-05-13  15:40:06", "2020-05-13\t15:40:06", "02020-05-13 1:1:1", "2020-005-13 1:1:1",
    "2020-13-01 1:1:1",
    "2020-05-32 1:1:1", "2020-05-13 1:1", "2020-05-13 1::1", "2020-05-13 1:1:1.", "2020-05-13 1:1:1.+1",
    "2020-05-13 1:1:1.1234567890", "2020-05-13 9999999999:1:1", "1500-02-28 24:00:00",
]  # fmt: skip


def moment(text: str) -> datetime:
    return datetime(1970, 1, 1) + timedelta(microseconds=timestamp_value_of(text) // 1000)


@pytest.mark.parametrize(("text", "expected"), TAKEN)
def test_what_is_taken(text: str, expected: str) -> None:
    assert moment(text) == datetime.fromisoformat(expected.ljust(26, "0") if "." in expected else expected)


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no timestamp|no such|For input|Julian"):
        timestamp_value_of(text)


def test_days() -> None:
    assert day_value_of("1970-1-+2") == 1
    assert day_value_of("1582-10-10") == day_value_of("1582-10-20")
    for text in ("1970-01-01 ", "1500-02-29", "70-01-01"):
        with pytest.raises(ValueError, match=r"no date|Julian"):
            day_value_of(text)
