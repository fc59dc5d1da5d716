"""PartOfSource, the part of a source that a job has read and reads again, in pieces of bounded size."""

from __future__ import annotations

from typing import Any

from firesteel.connectors.base import History, Offset, ReadLimit, Split


class PartOfSource:
    """Source that reads only a part of another, whole source, from the part's first offset to its last.

    Args:
        source: The whole source.
        part: The part.
    """

    def __init__(self, source: Any, part: History) -> None:
        self._source = source
        self._part = part

    def initial_offset(self) -> Offset:
        """Return the offset before the part."""
        return self._part.since

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return where a micro-batch from `start` ends; `start` itself at the end of the part."""
        until = self._part.until
        found: Offset = until if start == until else self._source.history_piece(start, until, limit)
        return found

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        """Return the splits of the whole source between two offsets."""
        found: list[Split] = self._source.splits_between(start, end, parallelism)
        return found

    def is_finished(self, offset: Offset) -> bool:
        """Return whether the whole source, not only the part, has no data after an offset."""
        found: bool = self._source.is_finished(offset)
        return found

    def channels(self) -> list[int]:
        """Return the numbers of the watermark channels of the whole source."""
        found: list[int] = self._source.channels()
        return found
