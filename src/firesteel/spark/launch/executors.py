"""The executors of a cluster, which come some seconds after the context is there.

Private: the way from a context to Spark's own SparkStatusTracker (`_jsc`), of which pyspark's has not all.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from firesteel.notices import say

if TYPE_CHECKING:
    from pyspark import SparkContext

_PAUSE = 0.05
_ALONE_SECONDS = 1.0
"""In which no other executor has come behind the last: executors of a cluster start together."""
_TOLD_SECONDS = 10.0


def count_executors(context: SparkContext) -> int:
    """How many there are now."""
    made: Any = context
    known = made._jsc.sc().statusTracker().getExecutorInfos()
    return max(0, len(known) - 1)  # the driver is one of them


def await_executors(context: SparkContext) -> None:
    """Wait until the first have come, and no more come; say so where it takes long."""
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
