"""An empty job while nobody waits for one: it has the worker daemon started, its workers forked, and the JVM
load what a job with a shuffle needs."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext


def warm_up(context: SparkContext) -> None:
    """Begin such a job and return at once."""
    threading.Thread(target=_run, args=(context,), daemon=True).start()


def _run(context: SparkContext) -> None:
    try:
        slots = min(context.defaultParallelism, 8)
        pairs = context.parallelize([(n, n) for n in range(slots)], slots)
        pairs.repartitionAndSortWithinPartitions(slots, _first).foreachPartition(_nothing)
    except Exception:
        return  # the first job will meet whatever this was, and say it


def _first(key: int) -> int:
    return key


def _nothing(rows: Iterable[tuple[int, int]]) -> None:
    """A task without work."""
    for _ in rows:
        continue
