"""HotKeys, the most frequent keys at one input of a keyed chain, over all tasks of a job."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from operator import itemgetter

from firesteel.runtime.dataflow.hot_keys import Key

SHARE = 0.01
"""A key is hot if it gets at least this fraction of all rows."""
_KEPT = 1024
"""Maximum number of counted keys. If it is exceeded, half as many stay: the most frequent keys."""
_SHOWN = 10
"""Maximum number of keys that `top` returns."""


class HotKeys:
    """Counts of frequent keys since the start of a job. They are estimates (runtime/dataflow/hot_keys.py).

    Attributes:
        rows: Number of rows of all keys.
    """

    def __init__(self) -> None:
        self.rows = 0
        self._counts: dict[Key, int] = {}

    def add(self, rows: int, keys: Iterable[tuple[Key, int]]) -> None:
        """Add the counts of a task.

        Args:
            rows: Number of its rows.
            keys: Its frequent keys, with the number of rows of each.
        """
        self.rows += rows
        for key, count in keys:
            self._counts[key] = self._counts.get(key, 0) + count
        if len(self._counts) > _KEPT:
            self._counts = dict(nlargest(_KEPT // 2, self._counts.items(), key=itemgetter(1)))

    def top(self) -> list[tuple[Key, int]]:
        """Return the hot keys with their number of rows, the hottest first."""
        found = nlargest(_SHOWN, list(self._counts.items()), key=itemgetter(1))
        return [(key, count) for key, count in found if count >= SHARE * self.rows]
