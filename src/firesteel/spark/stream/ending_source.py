"""EndingSource, a wrapper of a bounded source, which sends the last watermarks when the source ends.

Its offset contains whether the source has ended. So a restarted job ends the source in the same micro-batch
as before. The source ends in a micro-batch even if it has no rows.
"""

from __future__ import annotations

from typing import Any

from firesteel.connectors.base import Offset, ReadLimit, Split
from firesteel.spark.task.splits import ends


class EndingSource:
    """Bounded source with additional splits at the end of the micro-batch in which it ends.

    There is one for each watermark channel (spark/task/splits.py: ends). It sends the last watermark of its
    channel.
    """

    def __init__(self, source: Any) -> None:
        self._source = source

    def initial_offset(self) -> Offset:
        return {"of": self._source.initial_offset(), "ended": False}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the offset at which a micro-batch from `start` ends, and in it, whether the source ends.

        Return `start` if the source has ended before.
        """
        if start["ended"]:
            return start
        latest = self._source.latest_offset(start["of"], limit)
        return {"of": latest, "ended": self._source.is_finished(latest)}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        splits: list[Split] = self._source.splits_between(start["of"], end["of"], parallelism)
        return splits if start["ended"] or not end["ended"] else [*splits, *ends(self._source)]
