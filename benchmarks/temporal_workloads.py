"""Temporal joins of two streams whose rows are made on the fly."""

from __future__ import annotations

from functools import partial

from benchmarks.workload import HOLE, STREAMED, Workload

_KEYS = 10_000
_STREAM = """\
CREATE TABLE {name} (
  n BIGINT, k INT, v INT, ts AS TO_TIMESTAMP_LTZ(1760000000000 + n * {step}, 3),
  {key}WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000', 'fields.n.kind' = 'sequence',
  'fields.n.start' = '1', 'fields.n.end' = '{rows}', 'fields.k.min' = '1', 'fields.k.max' = '{keys}',
  'fields.v.min' = '1', 'fields.v.max' = '1000');
"""


def _temporal_join(kind: str, share: int, rows: int) -> str:
    """One version for some orders, over the same time: an order a millisecond.

    Args:
        kind: Empty, or LEFT.
        share: Number of orders for each version.
        rows: Number of rows of both tables.
    """
    orders = rows * share // (share + 1)
    versions = rows - orders
    return (
        _STREAM.format(name="orders", rows=orders, keys=_KEYS, step=1, key="")
        + _STREAM.format(
            name="rates", rows=versions, keys=_KEYS, step=share, key="PRIMARY KEY (k) NOT ENFORCED, "
        )
        + HOLE.format(columns="a BIGINT, b BIGINT, v INT, w INT")
        + f"INSERT INTO hole SELECT o.n, r.n, o.v, r.v FROM orders AS o {kind} JOIN rates "
        "FOR SYSTEM_TIME AS OF o.ts AS r ON o.k = r.k;\n"
    )


TEMPORAL_WORKLOADS = (
    Workload("temporal-join", "ten orders a version, 10K keys", partial(_temporal_join, "LEFT", 10)),
    Workload("temporal-join-versions", "as many versions as orders", partial(_temporal_join, "", 1)),
    Workload(
        "stream-temporal-join",
        "temporal-join with a checkpoint",
        partial(_temporal_join, "LEFT", 10),
        STREAMED,
        checkpoint=True,
    ),
)
