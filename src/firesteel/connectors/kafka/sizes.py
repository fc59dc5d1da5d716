"""Estimates of message sizes, which keep the micro-batches of a backlog within a limit of bytes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pyarrow.compute as pc

from firesteel.connectors.kafka.messages import Messages
from firesteel.connectors.kafka.offsets import Places, Range, ahead

_LOOKS = 16
"""Number of samples of a micro-batch, evenly spaced from its first message to its last one."""
_SAMPLE = 8
"""Maximum number of messages to measure in one sample."""
_ENOUGH = 1 << 20
"""Bytes of messages in one sample after which the sample ends."""
_ATTEMPTS = 5
"""Maximum number of measurements. If a micro-batch is too large, a smaller one is measured."""
_AGAIN_SECONDS = 30.0
_MARGIN = 8
_UNSEEN = 5 << 10
"""Minimum of the size in bytes that a message is assumed to have, until it is measured.

The assumed size is max(_UNSEEN, _MARGIN * last measured mean). Messages are measured only if a micro-batch of
messages of the assumed size would exceed the limit.
"""


class MessageSizes:
    """Estimate of the size of unread messages.

    Offsets do not show how many bytes are between them. So messages are read at evenly spaced places of the
    whole micro-batch. If it is too large, it is made smaller and measured again.

    Example:
        Behind a million messages of 100 bytes, a million of 10,000 wait. The mean is 5,050 bytes. For a limit
        of 500 MB that are 100,000 messages, all of them small. Measured again, the mean is 100 bytes.

    Args:
        read: Function that returns the messages of a range with their keys, like Reader.read.
    """

    def __init__(self, read: Callable[[Range], Iterator[Messages]]) -> None:
        self._read = read
        self._average: float | None = None
        self._looked = 0.0

    def rows_of(self, size: int, at: Places, latest: Places, most: int | None = None) -> int:
        """Return how many of the next messages a micro-batch may take, so that it has about `size` bytes.

        The result is at least 1, and at most the number of unread messages.

        Args:
            size: Number of bytes that the micro-batch may have.
            at: Next offset to read of each partition.
            latest: End of each partition.
            most: Maximum number of messages to take, None for all.
        """
        total = sum(max(0, latest[each] - offset) for each, offset in at.items())
        rows = total if most is None else min(total, most)
        average = self._average
        if average is None or self._is_due() or rows * max(average * _MARGIN, _UNSEEN) > size:
            return self._measured(size, at, latest, rows)
        return rows

    def _is_due(self) -> bool:
        return time.monotonic() > self._looked + _AGAIN_SECONDS

    def _measured(self, size: int, at: Places, latest: Places, rows: int) -> int:
        self._looked = time.monotonic()
        for _ in range(_ATTEMPTS):
            average = self._mean(at, ahead(at, latest, rows))
            if average is None:
                return rows
            self._average = average
            fitting = max(1, int(size / average))
            if fitting >= rows:
                return rows
            rows = fitting
        return rows

    def _mean(self, at: Places, end: Places) -> float | None:
        """Return the mean size of the messages of a micro-batch, None if there are none."""
        means = []
        for wanted in places(at, end):
            count = size = 0
            for messages in self._read(wanted):
                count, size = count + len(messages), size + _bytes_of(messages)
                if size >= _ENOUGH:
                    break
            if count:
                means.append(size / count)
        return max(1.0, sum(means) / len(means)) if means else None


def places(at: Places, end: Places) -> list[Range]:
    """Return short ranges, evenly spaced over all messages of a micro-batch.

    Args:
        at: Next offset to read of each partition.
        end: End of the micro-batch in each partition.
    """
    lengths = {each: max(0, end[each] - offset) for each, offset in sorted(at.items())}
    total = sum(lengths.values())
    count = min(_LOOKS, -(-total // _SAMPLE))
    last = max(1, count - 1)
    wanted = iter([look * (total - min(total, _SAMPLE)) // last for look in range(count)])
    found, before, place = [], 0, next(wanted, None)
    for each, length in lengths.items():
        while place is not None and place < before + length:
            start = at[each] + place - before
            found.append(Range(*each, start, min(start + _SAMPLE, end[each])))
            place = next(wanted, None)
        before += length
    return found


def _bytes_of(messages: Messages) -> int:
    """Return the number of bytes of keys and values."""
    parts = (messages.keys, messages.values)
    return sum(pc.sum(pc.binary_length(part), min_count=0).as_py() for part in parts)
