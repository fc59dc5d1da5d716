"""Cache of a whole table (Flink: CachingLookupFunction with a LookupFullCache).

The first lookup reads the table. When a reload is due, nothing happens until the next lookup, which reads the
table again. All lookups wait for the end of a read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from threading import Lock

import pyarrow as pa

from firesteel.connectors.lookup.options import FullCache
from firesteel.connectors.lookup.row_index import RowIndex
from firesteel.runtime.operators.lookup_join.lookup import FoundRows

Clock = Callable[[], float]
_DAY = 24 * 3600.0


class FullCached:
    """Lookup in a copy of a table in memory.

    Args:
        read: Function that reads the table.
        settings: When the table is read again.
        clock: Function that returns the time in seconds since 1970.
    """

    def __init__(self, read: Callable[[], RowIndex], settings: FullCache, clock: Clock = time.time) -> None:
        self._read = read
        self._settings = settings
        self._clock = clock
        self._rows: RowIndex | None = None
        self._due = 0.0
        self._lock = Lock()

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        with self._lock:
            if self._rows is None or self._clock() >= self._due:
                start = self._clock()
                self._rows = self._read()
                self._due = next_reload(self._settings, start, self._clock())
        return self._rows.find(keys)


def next_reload(settings: FullCache, start: float, end: float) -> float:
    """Return when a table is due to be read again, in seconds since 1970. A read is always due at some time.

    A periodic read is due `interval` milliseconds after the start or the end of the last read. A timed one is
    due at the time of day `at`: on the day of the last read if `at` comes after its start, else `days` later.

    Args:
        settings: Settings of the reloads.
        start: Start of the last read, in seconds since 1970.
        end: End of the last read, in seconds since 1970.
    """
    if settings.at is None:
        return (start if settings.from_start else end) + settings.interval / 1000
    zone = settings.at.tzinfo
    now = datetime.fromtimestamp(start, timezone.utc).astimezone(zone)
    due = datetime.combine(now.date(), settings.at.replace(tzinfo=None), now.tzinfo)
    if due <= now:
        due += timedelta(days=settings.days)
    return due.timestamp()
