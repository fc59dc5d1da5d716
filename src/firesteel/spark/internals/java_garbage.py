"""What Python holds in the JVM, and lets go of only when its collector runs.

py4j's objects are cycles, so counting references does not free them, nor what the JVM keeps for them: of a
micro-batch a DataFrame with its plan and its metrics, a third of a MiB. A driver that mostly waits makes too
few objects for the collector to run by itself. Private: that a JavaObject keeps its methods, which keep it.
"""

from __future__ import annotations

import gc

_BATCHES = 200
"""So many micro-batches hold 60 MiB. A collection takes the driver some 50 ms."""


class JavaGarbage:
    """Counts the micro-batches of a job."""

    def __init__(self) -> None:
        self._batches = 0

    def end_batch(self) -> None:
        """Let go of what the batches before held, once in a while."""
        self._batches += 1
        if self._batches % _BATCHES == 0:
            gc.collect()
