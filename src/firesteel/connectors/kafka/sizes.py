"""Estimates of message sizes, which keep the micro-batches of a backlog within a limit of bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pyarrow.compute as pc

from firesteel.connectors.kafka.messages import Messages
from firesteel.connectors.kafka.offsets import Places, Range

_SAMPLE = 50
_AGAIN_SECONDS = 30.0
_MARGIN = 8
"""Factor by which messages may have grown before their size is measured again."""


class MessageSizes:
    """Estimate of the size of messages that wait.

    Offsets do not show how many bytes are between them, so a few waiting messages are read.

    Args:
        read: Function that returns the messages of a range with their keys, like Reader.read.
    """

    def __init__(self, read: Callable[[Range], Iterator[Messages]]) -> None:
        self._read = read
        self._average: float | None = None
        self._looked = 0.0

    def rows_of(self, size: int, at: Places, latest: Places) -> int:
        """Return about how many messages from `at` to `latest` have `size` bytes together; at least one."""
        waiting = {each: max(0, latest[each] - offset) for each, offset in at.items()}
        total = sum(waiting.values())
        if self._average is None or self._is_due() or total * self._average * _MARGIN > size:
            self._look(at, waiting)
        return total if not self._average else max(1, int(size / self._average))

    def _is_due(self) -> bool:
        return time.monotonic() > self._looked + _AGAIN_SECONDS

    def _look(self, at: Places, waiting: Places) -> None:
        """Measure the first messages of the partition with the most waiting ones.

        If there are none, the last estimate stays.
        """
        most = max(waiting, key=lambda each: waiting[each], default=None)
        if most is None or not waiting[most]:
            return
        first = at[most]
        wanted = Range(*most, first, first + min(_SAMPLE, waiting[most]))
        found = list(self._read(wanted))
        self._looked = time.monotonic()
        if found:
            self._average = max(1.0, sum(map(_bytes_of, found)) / sum(map(len, found)))


def _bytes_of(messages: Messages) -> int:
    """Return the number of bytes of keys and values."""
    parts = (messages.keys, messages.values)
    return sum(pc.sum(pc.binary_length(part), min_count=0).as_py() for part in parts)
