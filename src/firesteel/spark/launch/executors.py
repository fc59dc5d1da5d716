"""Wait for the executors of a cluster, which start some seconds after the context.

This depends on private API of pyspark: `_jsc`, which leads from a context to the JVM's SparkStatusTracker.
pyspark's own StatusTracker has no method for executors.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from firesteel.notices import say

if TYPE_CHECKING:
    from pyspark import SparkContext

_PAUSE = 0.05
_ALONE_SECONDS = 1.0
"""Seconds without a new executor after which no more are expected.

A cluster starts its executors together.
"""
_TOLD_SECONDS = 10.0


def count_executors(context: SparkContext) -> int:
    """Return the current number of executors."""
    made: Any = context
    known = made._jsc.sc().statusTracker().getExecutorInfos()
    return max(0, len(known) - 1)  # Spark counts the driver, too.


def await_executors(context: SparkContext) -> None:
    """Wait until executors have started and no more follow.

    After ten seconds without any, print a message.
    """
    began = since = time.monotonic()
    told, seen = False, 0
    while not seen or time.monotonic() - since < _ALONE_SECONDS:
        now = count_executors(context)
        if now != seen:
            since, seen = time.monotonic(), now
        if not seen and not told and time.monotonic() - began > _TOLD_SECONDS:
            told = True
            say(
                f"waiting for executors of {context.master}: none has come in {_TOLD_SECONDS:.0f} s. "
                "Has it a worker with a free core and spark.executor.memory (1g) of memory?"
            )
        time.sleep(_PAUSE)
