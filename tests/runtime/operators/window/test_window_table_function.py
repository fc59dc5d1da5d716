"""Rows with their windows, as Flink's AlignedWindowTableFunctionOperatorTest has them."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from firesteel.changelog import SEQUENCE, field
from firesteel.runtime.operators.window.window_table_function import WindowTableFunction
from firesteel.runtime.spec.window import WindowsSpec, WindowTableFunctionSpec, WindowTime
from firesteel.types.sql import timestamp, timestamp_ltz
from tests.runtime.operators.window.windows import BY_ROW_TIME, Row, cumulate, hop, table_of, tumble

ROWS: list[Row] = [("+I", "a", 1, 20), ("-U", "b", 2, 3999)]


def run(windows: WindowsSpec, rows: list[Row] = ROWS, clock: int | None = None, zone: str = "UTC") -> str:
    time = WindowTime(2, timestamp(3)) if clock is None else WindowTime(None, timestamp_ltz(3))
    spec = WindowTableFunctionSpec(windows, replace(time, zone=zone))
    out = WindowTableFunction(spec, lambda: clock or 0).process(table_of(rows))
    times = [(out.column(field(i)).cast(pa.int64()).to_numpy() // 1000).tolist() for i in (3, 4, 5)]
    cells = zip(out.column(SEQUENCE).to_pylist(), *times, strict=True)
    return " ".join(f"{order}:[{start},{end}){time}" for order, start, end, time in cells)


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        (tumble(3000), "0:[0,3000)2999 1:[3000,6000)5999"),
        (tumble(3000, 1000), "0:[-2000,1000)999 1:[1000,4000)3999"),
        (hop(3000, 1000),
         "0:[0,3000)2999 0:[-1000,2000)1999 0:[-2000,1000)999 "
         "1:[3000,6000)5999 1:[2000,5000)4999 1:[1000,4000)3999"),
        (hop(3000, 2000), "0:[0,3000)2999 0:[-2000,1000)999 1:[2000,5000)4999"),
        (cumulate(3000, 1000),
         "0:[0,1000)999 0:[0,2000)1999 0:[0,3000)2999 "
         "1:[3000,4000)3999 1:[3000,5000)4999 1:[3000,6000)5999"),
    ],
)  # fmt: skip
def test_a_row_comes_once_for_each_window(windows: WindowsSpec, expected: str) -> None:
    assert run(windows) == expected


def test_windows_of_the_hour_that_daylight_saving_skips() -> None:
    """New York, 2026-03-08: 02:15 is no clock's; window_time is where it would have been."""
    windows = tumble(3_600_000, 900_000)
    half_past_one = 1_772_951_400_000
    start = 1_772_932_500_000  # 01:15 as if in UTC
    end, time = start + 3_600_000, 1_772_954_099_999
    rows: list[Row] = [("+I", "a", 1, half_past_one)]
    assert run(windows, rows, zone="America/New_York") == f"0:[{start},{end}){time}"


def test_processing_time_is_the_clock() -> None:
    assert run(tumble(3000), clock=7000) == "0:[6000,9000)8999 1:[6000,9000)8999"


def test_a_row_without_a_time_has_no_window() -> None:
    table = table_of(ROWS)
    nulls = pa.nulls(2, table.column(field(2)).type)
    table = table.set_column(4, field(2), nulls)
    function = WindowTableFunction(WindowTableFunctionSpec(tumble(3000), BY_ROW_TIME), lambda: 0)
    assert function.process(table).num_rows == 0
