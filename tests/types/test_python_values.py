"""Python values of columns, also of dates that Python cannot hold."""

from __future__ import annotations

from datetime import date

import pyarrow as pa

from firesteel.types.python_values import python_values, python_values_or_texts
from firesteel.types.sql import DATE, array


def test_a_date_outside_of_pythons_years_is_its_text() -> None:
    days = pa.array([0, -719528, None, 10**7], pa.int32()).cast(pa.date32())
    assert python_values(days) == [date(1970, 1, 1), "0000-01-01", None, "29349-01-26"]


def test_a_time_outside_of_pythons_years_is_its_text() -> None:
    times = pa.array([-719528 * 86_400_000], pa.int64()).cast(pa.timestamp("ms"))
    assert python_values(pa.chunked_array([times])) == ["0000-01-01 00:00:00.000"]


def test_a_list_with_such_a_date_is_its_type() -> None:
    days = pa.array([-719528], pa.int32()).cast(pa.date32())
    lists = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), days)
    assert python_values(lists) == ["<list<item: date32[day]>>"]


def test_what_python_cannot_hold_is_a_text() -> None:
    days = pa.array([0, -719528, None, 10**7], pa.int32()).cast(pa.date32())
    whole = python_values_or_texts(days, DATE, "UTC")
    assert whole == [date(1970, 1, 1), "0000-01-01", None, "29349-01-26"]
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 4], pa.int32()), days)
    assert python_values_or_texts(lists, array(DATE), "UTC") == [
        "[1970-01-01, 0000-01-01]",
        "[NULL, 9349-01-26]",
    ]
