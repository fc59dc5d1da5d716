"""Workloads of event time: windows and OVER over rows that are made on the fly."""

from __future__ import annotations

from functools import partial

from benchmarks.workload import HOLE, STREAMED, Workload

_ROWS = 10_000_000

CLICKS = """\
CREATE TABLE clicks (
  n BIGINT, k INT, v INT, ts AS TO_TIMESTAMP_LTZ(1760000000000 + n, 3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '1', 'fields.n.end' = '{rows}', 'fields.k.min' = '1', 'fields.k.max' = '{keys}',
  'fields.v.min' = '1', 'fields.v.max' = '1000');
"""
"""A row a millisecond."""
IMPRESSIONS = CLICKS.replace("clicks", "impressions")

_WINDOWS = "SELECT * FROM TABLE(TUMBLE(TABLE {table}, DESCRIPTOR(ts), INTERVAL '10' SECOND))"
_TUMBLE = "TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND)"
_HOP = "HOP(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' SECOND, INTERVAL '10' SECOND)"
_SESSION = "SESSION(TABLE clicks PARTITION BY k, DESCRIPTOR(ts), INTERVAL '20' SECOND)"


def _windows(function: str, keys: int, rows: int) -> str:
    """COUNT, SUM and MAX by key and window."""
    return (
        CLICKS.format(rows=rows, keys=keys)
        + HOLE.format(columns="k INT, e TIMESTAMP(3), c BIGINT, s INT, m INT")
        + "INSERT INTO hole SELECT k, window_end, COUNT(*), SUM(v), MAX(v) "
        f"FROM TABLE({function}) GROUP BY k, window_start, window_end;\n"
    )


def _over(rows: int) -> str:
    return (
        CLICKS.format(rows=rows, keys=10_000)
        + HOLE.format(columns="n BIGINT, s INT")
        + "INSERT INTO hole SELECT n, SUM(v) OVER (PARTITION BY k ORDER BY ts "
        "RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW) FROM clicks;\n"
    )


def _window_top_n(rows: int) -> str:
    """The three largest of each of 100 keys, of 100 rows in each window."""
    return (
        CLICKS.format(rows=rows, keys=100)
        + HOLE.format(columns="e TIMESTAMP(3), k INT, n BIGINT, v INT, rn BIGINT")
        + "INSERT INTO hole SELECT window_end, k, n, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
        f"window_start, window_end, k ORDER BY v DESC) AS rn FROM ({_WINDOWS.format(table='clicks')})) "
        "WHERE rn <= 3;\n"
    )


def _window_join(rows: int) -> str:
    """A window has 10K rows of each input, and about as many pairs."""
    return (
        CLICKS.format(rows=rows // 2, keys=10_000)
        + IMPRESSIONS.format(rows=rows // 2, keys=10_000)
        + HOLE.format(columns="e TIMESTAMP(3), k INT, a BIGINT, b BIGINT")
        + "INSERT INTO hole SELECT x.window_end, x.k, x.n, y.n "
        f"FROM ({_WINDOWS.format(table='clicks')}) AS x JOIN ({_WINDOWS.format(table='impressions')}) AS y "
        "ON x.k = y.k AND x.window_start = y.window_start AND x.window_end = y.window_end;\n"
    )


TIME_WORKLOADS = (
    Workload(
        "tumble", "10M rows, 100K keys, TUMBLE 10 s", partial(_windows, _TUMBLE, 100_000), (_ROWS // 4, _ROWS)
    ),
    Workload(
        "hop", "the same, HOP of ten slices", partial(_windows, _HOP, 100_000), (_ROWS // 8, _ROWS // 2)
    ),
    Workload(
        "session", "10K keys, SESSION 20 s", partial(_windows, _SESSION, 10_000), (_ROWS // 8, _ROWS // 2)
    ),
    Workload(
        "window-top-n",
        "three rows of each of 100 keys in each TUMBLE 10 s",
        _window_top_n,
        (_ROWS // 4, _ROWS),
    ),
    Workload(
        "window-join",
        "two inputs, 10K keys, equal windows of TUMBLE 10 s",
        _window_join,
        (_ROWS // 8, _ROWS // 2),
    ),
    Workload("over", "10K keys, SUM over RANGE 10 s", _over, (500_000, 2_000_000)),
    Workload(
        "stream-tumble",
        "tumble with a checkpoint",
        partial(_windows, _TUMBLE, 100_000),
        STREAMED,
        checkpoint=True,
    ),
)
