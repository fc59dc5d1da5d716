"""The bounded sources of one job, read one after another: so the rows of a UNION ALL come in one order,
wherever the micro-batches end.

Spark asks all sources of a query for their offsets, each by itself. So a source follows the ones before it:
it moves copies of them on as they are moved on themselves, and waits until they have ended. What it has
followed is part of its offset, so a restart goes on in step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firesteel.connectors.base import ReadLimit, Split

Offset = dict[str, Any]


class SequentialSource:
    """A source whose turn comes when the `earlier` ones have ended; offsets hold its own and theirs."""

    def __init__(self, source: Any, earlier: Sequence[Any]) -> None:
        self._source = source
        self._earlier = tuple(earlier)

    def initial_offset(self) -> Offset:
        return {
            "own": self._source.initial_offset(),
            "earlier": [each.initial_offset() for each in self._earlier],
        }

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Where a micro-batch from `start` ends. The one in which the last of the earlier sources ends may
        have rows of this one, behind theirs."""
        followed = list(start["earlier"])
        for place, source in enumerate(self._earlier):
            followed[place] = source.latest_offset(followed[place], limit)
            if not source.is_finished(followed[place]):
                return {**start, "earlier": followed}
        return {"own": self._source.latest_offset(start["own"], limit), "earlier": followed}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        found: list[Split] = self._source.splits_between(start["own"], end["own"], parallelism)
        return found
