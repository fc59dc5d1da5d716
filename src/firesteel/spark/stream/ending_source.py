"""EndingSource, which adds the end of a bounded source, and so its last watermark, to the source's offsets.

Since the offset contains whether the source has ended, a restarted job ends the source in the same
micro-batch. There is such a micro-batch even if the source has no rows.
"""

from __future__ import annotations

from typing import Any

from firesteel.connectors.base import Offset, ReadLimit, Split
from firesteel.spark.task.splits import ends


class EndingSource:
    """Bounded source that has an additional last split in the micro-batch in which it ends.

    The split sends the last watermark (spark/task/splits.py: ends).
    """

    def __init__(self, source: Any) -> None:
        self._source = source

    def initial_offset(self) -> Offset:
        return {"of": self._source.initial_offset(), "ended": False}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the end of a micro-batch that begins at `start`."""
        if start["ended"]:
            return start
        latest = self._source.latest_offset(start["of"], limit)
        return {"of": latest, "ended": self._source.is_finished(latest)}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        splits: list[Split] = self._source.splits_between(start["of"], end["of"], parallelism)
        return splits if start["ended"] or not end["ended"] else [*splits, *ends(self._source)]
