"""Interval joins of two streams whose rows are made on the fly."""

from __future__ import annotations

from functools import partial

from benchmarks.workload import HOLE, STREAMED, Workload

_KEYS = 10_000
_STREAM = """\
CREATE TABLE {name} (
  n BIGINT, k INT, v INT, ts AS TO_TIMESTAMP_LTZ(1760000000000 + n, 3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '1', 'fields.n.end' = '{rows}', 'fields.k.min' = '1', 'fields.k.max' = '{keys}',
  'fields.v.min' = '1', 'fields.v.max' = '1000');
"""
"""A row a millisecond."""


def _interval_join(kind: str, seconds: int, rows: int) -> str:
    """As many shows as clicks. With 10 seconds a show has one click on average."""
    tables = (_STREAM.format(name=name, rows=rows // 2, keys=_KEYS) for name in ("shows", "clicks"))
    return (
        "".join(tables)
        + HOLE.format(columns="a BIGINT, b BIGINT, v INT, w INT")
        + f"INSERT INTO hole SELECT s.n, c.n, s.v, c.v FROM shows AS s {kind} JOIN clicks AS c "
        f"ON s.k = c.k AND c.ts BETWEEN s.ts AND s.ts + INTERVAL '{seconds}' SECOND;\n"
    )


INTERVAL_WORKLOADS = (
    Workload("interval-join", "two streams, 10K keys, one pair a row", partial(_interval_join, "", 10)),
    Workload("interval-left-join", "half of the rows are padded", partial(_interval_join, "LEFT", 5)),
    Workload(
        "stream-interval-join",
        "interval-join with a checkpoint",
        partial(_interval_join, "", 10),
        STREAMED,
        checkpoint=True,
    ),
)
