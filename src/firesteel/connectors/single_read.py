"""SingleReadSource, the base of bounded sources that are read in one micro-batch."""

from __future__ import annotations

from firesteel.connectors.base import Offset, ReadLimit, Source, Split

_READ = "read"


class SingleReadSource(Source):
    """Bounded source that is read in one micro-batch. It has two offsets: before and after all its rows."""

    bounded = True
    offsets: tuple[int, int] = (0, 1)
    """Values in the offset before and after the rows. Checkpoints contain them."""

    def initial_offset(self) -> Offset:
        """Return the offset before all rows."""
        return {_READ: self.offsets[0]}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the offset after all rows."""
        return {_READ: self.offsets[1]}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        """Return all splits if `start` is the offset before all rows and `end` is the other one, else []."""
        return self.splits(parallelism) if start[_READ] < end[_READ] else []

    def is_finished(self, offset: Offset) -> bool:
        """Return whether the rows are read at an offset."""
        return bool(offset[_READ])
