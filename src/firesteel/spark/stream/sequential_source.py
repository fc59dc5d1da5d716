"""Bounded sources of one job that are read one after another.

The rows of a UNION ALL therefore have one order, wherever micro-batches end.

Spark asks each source of a query for its offsets independently. So a source tracks the sources before it: it
advances copies of them as Spark advances the originals, and waits until they have ended. Its offset includes
the offsets of these copies, so the copies continue from there after a restart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel.connectors.base import ReadLimit, Split

Offset = dict[str, Any]


class SequentialSource:
    """Source that begins when all `earlier` sources have ended.

    Its offset consists of its own position and the offsets of the earlier sources.
    """

    def __init__(self, source: Any, earlier: Sequence[Any]) -> None:
        self._source = source
        self._earlier = tuple(earlier)

    def initial_offset(self) -> Offset:
        return {
            "own": self._source.initial_offset(),
            "earlier": [each.initial_offset() for each in self._earlier],
        }

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the offset at which a micro-batch from `start` ends.

        As long as an earlier source has not ended, the micro-batch has no rows of this source. It may already
        have some in the micro-batch in which the last earlier source ends.
        """
        followed = list(start["earlier"])
        for place, source in enumerate(self._earlier):
            followed[place] = source.latest_offset(followed[place], limit)
            if not source.is_finished(followed[place]):
                return {**start, "earlier": followed}
        return {"own": self._source.latest_offset(start["own"], limit), "earlier": followed}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        found: list[Split] = self._source.splits_between(start["own"], end["own"], parallelism)
        return found
