"""Dates, times and timestamps out of columns of texts: the kernel against Python's own calendar."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.formats.messages.date_time_columns import date_times
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import DATE, SqlType, TypeRoot

TIME = SqlType(TypeRoot.TIME, precision=0)
MILLIS, NANOS = SqlType(TypeRoot.TIMESTAMP, precision=3), SqlType(TypeRoot.TIMESTAMP, precision=9)
INSTANT = SqlType(TypeRoot.TIMESTAMP_LTZ, precision=3)
YEARS = datetime(1000, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
NANO_YEARS = datetime(1678, 1, 1), datetime(2261, 12, 31, 23, 59, 59, 999999)
EPOCH = datetime(1970, 1, 1)


def read(text: str | None, kind: SqlType, *, iso: bool = False) -> tuple[object, bool]:
    """The value of a text among others, and whether the exact reader must read it."""
    texts = pa.array(["before", text, "behind"]).slice(1, 1)
    values, odd = date_times(texts, kind, iso=iso)
    assert values.type == to_arrow(kind)
    return values[0].cast(pa.int32() if kind.root is TypeRoot.DATE else pa.int64()).as_py(), bool(odd[0])


def micros(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


@settings(deadline=None)
@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_each_date(day: date) -> None:
    assert read(day.isoformat(), DATE) == ((day - EPOCH.date()).days, False)


@settings(deadline=None)
@given(st.datetimes(*YEARS), st.booleans())
def test_each_moment(moment: datetime, iso: bool) -> None:
    text, expected = moment.isoformat("T" if iso else " "), micros(moment)
    assert read(text, MILLIS, iso=iso) == (expected, False)
    assert read(f"{text}Z", INSTANT, iso=iso) == (expected, False)
    assert read(text, MILLIS, iso=not iso) == (None, True)
    assert read(text, INSTANT, iso=iso) == (None, True)
    assert read(f"{text}Z", MILLIS, iso=iso) == (None, True)


@settings(deadline=None)
@given(st.datetimes(*NANO_YEARS), st.integers(0, 999))
def test_each_nanosecond(moment: datetime, nanos: int) -> None:
    text = f"{moment.strftime('%Y-%m-%d %H:%M:%S')}.{moment.microsecond:06}{nanos:03}"
    assert read(text, NANOS) == (micros(moment) * 1000 + nanos, False)
    assert read(text, MILLIS) == (None, True)


@settings(deadline=None)
@given(st.times())
def test_each_time(clock: time) -> None:
    millis = clock.isoformat("milliseconds")
    seconds = (clock.hour * 60 + clock.minute) * 60 + clock.second
    assert read(millis, TIME) == ((seconds * 1000 + clock.microsecond // 1000) * 1000, False)
    assert read(millis[:8], TIME) == (seconds * 1_000_000, False)
    assert read(f"{millis}0", TIME) == (None, True)


@pytest.mark.parametrize("day", ["2024-02-29", "2000-02-29", "2023-12-31", "2023-01-31"])
def test_days_that_exist(day: str) -> None:
    assert read(day, DATE) == ((date.fromisoformat(day) - EPOCH.date()).days, False)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "x", "2023-02-29", "1900-02-29", "2023-04-31", "2023-00-01", "2023-13-01", "2023-01-00"),
        *("2023-1-01", "0999-12-31", "12023-01-01", "2023/01/01", "2023-01-01 ", "2023-01-0x", "٢٠٢٣-01-01"),
    ],
)
def test_no_dates(text: str) -> None:
    assert read(text, DATE) == (None, True)
    assert read(f"{text} 00:00:00", MILLIS) == (None, True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "00:00", "24:00:00", "00:60:00", "00:00:60", "0:00:00", "00-00-00", "00:00:00.", "00:00:00,1"),
        *("00:00:00.1x", " 00:00:00", "00:00:00 ", "00:00:00.1234567890", "-1:00:00"),
    ],
)
def test_no_times(text: str) -> None:
    assert read(text, TIME) == (None, True)
    assert read(f"2023-01-01 {text}", NANOS) == (None, True)


@pytest.mark.parametrize("text", ["1677-12-31 23:59:59", "2262-01-01 00:00:00"])
def test_nanoseconds_of_these_years_need_more_bits(text: str) -> None:
    assert read(text, NANOS) == (None, True)
    assert read(text, MILLIS) == (micros(datetime.fromisoformat(text)), False)


@pytest.mark.parametrize("kind", [DATE, TIME, MILLIS, NANOS, INSTANT])
def test_null_is_no_text(kind: SqlType) -> None:
    assert read(None, kind) == (None, False)
    values, odd = date_times(pa.array([], pa.string()), kind, iso=False)
    assert (len(values), len(odd)) == (0, 0)
