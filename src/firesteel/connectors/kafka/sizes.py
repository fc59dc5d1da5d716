"""How large messages are, so that a micro-batch of a backlog holds no more bytes than it may."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pyarrow.compute as pc

from firesteel.connectors.kafka.messages import Messages
from firesteel.connectors.kafka.offsets import Places, Range

_SAMPLE = 50
_AGAIN_SECONDS = 30.0
_MARGIN = 8
"""So many times larger than the last ones messages may have become before they are looked at again."""


class MessageSizes:
    """Offsets do not say how many bytes lie between them, so a few of the messages that wait are read.

    read: the messages of a range with their keys, as Reader.read gives them.
    """

    def __init__(self, read: Callable[[Range], Iterator[Messages]]) -> None:
        self._read = read
        self._average: float | None = None
        self._looked = 0.0

    def rows_of(self, size: int, at: Places, latest: Places) -> int:
        """About how many of the messages from `at` to `latest` have so many bytes; at least one."""
        waiting = {each: max(0, latest[each] - offset) for each, offset in at.items()}
        total = sum(waiting.values())
        if self._average is None or self._is_due() or total * self._average * _MARGIN > size:
            self._look(at, waiting)
        return total if not self._average else max(1, int(size / self._average))

    def _is_due(self) -> bool:
        return time.monotonic() > self._looked + _AGAIN_SECONDS

    def _look(self, at: Places, waiting: Places) -> None:
        """At the first messages of the partition where most wait; none there leave what is known."""
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
    """Those of keys and values."""
    parts = (messages.keys, messages.values)
    return sum(pc.sum(pc.binary_length(part), min_count=0).as_py() for part in parts)
