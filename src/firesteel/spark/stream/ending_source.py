"""A bounded source that tells when it has ended, to those who wait for its last watermark.

That it has ended is part of its offset. So the micro-batch that tells of it is known, is the same after a
restart, and comes even where the source has no rows.
"""

from __future__ import annotations

from typing import Any

from firesteel.connectors.base import Offset, ReadLimit, Split
from firesteel.spark.task.splits import ends


class EndingSource:
    """A source with one split more: behind all others, in the micro-batch in which it ends."""

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
