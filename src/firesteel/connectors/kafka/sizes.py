"""How large messages are, so that a micro-batch of a backlog holds no more bytes than it may."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from firesteel.connectors.kafka.offsets import Places, Range
from firesteel.connectors.kafka.reader import Messages

_SAMPLE = 50
_AGAIN_SECONDS = 30.0
_MARGIN = 8
"""So many times larger than the last ones messages may have become before they are looked at again."""


class MessageSizes:
    """Offsets do not say how many bytes lie between them, so a few of the messages that wait are read.

    read: the messages of a range, as Reader.read gives them.
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
        records = [record for messages in self._read(wanted) for record in messages.records]
        self._looked = time.monotonic()
        if records:
            self._average = max(1.0, sum(map(message_size, records)) / len(records))


def message_size(record: object) -> int:
    """The bytes of a message's key and value."""
    parts = (record.key(), record.value())  # type: ignore[attr-defined]
    return sum(len(part) for part in parts if part is not None)
