"""What a workload is, and the tables that several have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

SMALL, LARGE = 500_000, 2_000_000
STREAMED = (2_000_000, 6_000_000)
"""A stream takes up to 2M events in one micro-batch, so there is more than one."""

BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "5000",
}
IN_BUNDLES = {**BUNDLES, "table.exec.mini-batch.size": "10000000"}

ORDERS = """\
CREATE TABLE orders (id BIGINT, name STRING, cnt INT)
WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'canal-json');
"""
REAL_COLUMNS = (
    "id BIGINT, name STRING, cnt INT, price DECIMAL(10, 2), city STRING, note STRING, state STRING, "
    "weight DOUBLE, created STRING, changed STRING"
)
"""Of the table whose changes benchmarks/real_data.py writes."""
HOLE = "CREATE TABLE hole ({columns}) WITH ('connector' = 'blackhole');\n"


@dataclass(frozen=True)
class Workload:
    """script(size) is run at each size; with two sizes the slope between them is the throughput.

    checkpoint: both engines keep a checkpoint, so Firesteel runs on the stream host. settings: of
    Firesteel. flink: settings to try with Flink, of which the best counts. skewed: the same work with half
    of all rows in one key, for Firesteel alone.
    """

    name: str
    what: str
    script: Callable[[int], str]
    sizes: tuple[int, ...] = (SMALL, LARGE)
    checkpoint: bool = False
    settings: dict[str, str] = field(default_factory=dict)
    flink: tuple[dict[str, str], ...] = ({},)
    skewed: Callable[[int], str] | None = None
