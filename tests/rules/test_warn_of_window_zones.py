"""Windows that lose rows in the session's time zone are told of."""

from __future__ import annotations

import warnings

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelWarning

WINDOWS = "TABLE({}(TABLE t, DESCRIPTOR(ts), {}))"


def warned(zone: str, function: str, sizes: str, kind: str = "TIMESTAMP_LTZ(3)", **options: str) -> list[str]:
    env = TableEnvironment.create()
    options["table.local-time-zone"] = zone
    for key, value in options.items():
        env.execute_sql(f"SET '{key}' = '{value}'")
    env.execute_sql(
        f"CREATE TABLE t (k STRING, ts {kind}, WATERMARK FOR ts AS ts)"
        " WITH ('connector' = 'filesystem', 'path' = '/nowhere', 'format' = 'json')"
    )
    source = WINDOWS.format(function, sizes)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        env.explain_sql(f"SELECT window_end, COUNT(*) FROM {source} GROUP BY window_start, window_end")
    return [str(each.message) for each in found if issubclass(each.category, FiresteelWarning)]


DAY, HOURS = "INTERVAL '1' DAY", "INTERVAL '6' HOUR, INTERVAL '1' DAY"
ONE_PHASE = {"table.optimizer.agg-phase-strategy": "ONE_PHASE"}


@pytest.mark.parametrize(
    ("zone", "function", "sizes", "options", "length"),
    [
        ("Asia/Shanghai", "TUMBLE", DAY, {}, "1 d"),
        ("Asia/Shanghai", "TUMBLE", DAY, ONE_PHASE, "1 d"),
        ("GMT+08:00", "HOP", HOURS, {}, "6 h"),
        ("Asia/Shanghai", "CUMULATE", HOURS, {}, "6 h"),
        ("Asia/Kolkata", "TUMBLE", "INTERVAL '1' HOUR", {}, "1 h"),
    ],
)
def test_reported(zone: str, function: str, sizes: str, options: dict[str, str], length: str) -> None:
    (said,) = warned(zone, function, sizes, **options)
    assert said.startswith(f"windows of {function} lose rows in the time zone {zone}, as in Flink")
    assert f"no multiple of {length}," in said


@pytest.mark.parametrize(
    ("zone", "sizes", "kind"),
    [
        ("Asia/Shanghai", DAY, "TIMESTAMP(3)"),
        ("Asia/Shanghai", "INTERVAL '2' HOUR", "TIMESTAMP_LTZ(3)"),
        ("Asia/Kolkata", "INTERVAL '30' MINUTE", "TIMESTAMP_LTZ(3)"),
        ("America/New_York", DAY, "TIMESTAMP_LTZ(3)"),
        ("UTC", DAY, "TIMESTAMP_LTZ(3)"),
    ],
)
def test_nothing_to_tell(zone: str, sizes: str, kind: str) -> None:
    assert warned(zone, "TUMBLE", sizes, kind) == []
