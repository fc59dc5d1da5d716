"""An empty job that warms Spark up.

It starts the worker daemon, forks workers, and loads the JVM's code for shuffles.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext


def warm_up(context: SparkContext) -> None:
    """Start the empty job in a thread, and return at once."""
    threading.Thread(target=_run, args=(context,), daemon=True).start()


def _run(context: SparkContext) -> None:
    try:
        slots = min(context.defaultParallelism, 8)
        pairs = context.parallelize([(n, n) for n in range(slots)], slots)
        pairs.repartitionAndSortWithinPartitions(slots, _first).foreachPartition(_nothing)
    except Exception:
        return  # The first real job meets the same error and reports it.


def _first(key: int) -> int:
    return key


def _nothing(rows: Iterable[tuple[int, int]]) -> None:
    """Consume rows without doing anything."""
    for _ in rows:
        continue
