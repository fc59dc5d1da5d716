"""Size of one state."""

from __future__ import annotations

from typing import NamedTuple


class StateSize(NamedTuple):
    """Size of one state.

    Attributes:
        entries: Number of entries.
        bytes: Bytes in the store, compressed.
        oldest: Least time of an entry in milliseconds. None if the state is empty or not sorted by time.
    """

    entries: int
    bytes: int
    oldest: int | None = None

    def plus(self, other: StateSize) -> StateSize:
        """Return the size of both states together."""
        times = [time for time in (self.oldest, other.oldest) if time is not None]
        return StateSize(self.entries + other.entries, self.bytes + other.bytes, min(times, default=None))
