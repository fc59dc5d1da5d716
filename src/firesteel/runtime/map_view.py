"""Map views whose entries live for a time of their own.

Without a time to live the row handler uses plain dicts. With one, every entry has the time of its last
write, and is gone once `now >= written + ttl` (Flink: MapState under StateTtlConfig with
OnCreateAndWrite and NeverReturnExpired).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, MutableMapping
from dataclasses import dataclass
from typing import Any


@dataclass
class Expiry:
    """The processing time and the time to live, in milliseconds; the operator sets `now` for each batch."""

    ttl: int
    now: int = 0


class ExpiringMap(MutableMapping[Any, Any]):
    """A dict in insertion order that never shows an entry older than the time to live."""

    def __init__(self, expiry: Expiry) -> None:
        self._expiry = expiry
        self._entries: OrderedDict[Any, tuple[Any, int]] = OrderedDict()

    def __getitem__(self, key: Any) -> Any:
        value, written = self._entries[key]
        if self._expiry.now >= written + self._expiry.ttl:
            raise KeyError(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[key] = (value, self._expiry.now)

    def __delitem__(self, key: Any) -> None:
        del self._entries[key]

    def __iter__(self) -> Iterator[Any]:
        oldest = self._expiry.now - self._expiry.ttl
        return (key for key, (_, written) in self._entries.items() if written > oldest)

    def __reversed__(self) -> Iterator[Any]:
        oldest = self._expiry.now - self._expiry.ttl
        return (key for key, (_, written) in reversed(self._entries.items()) if written > oldest)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def restore(self, key: Any, value: Any, written: int) -> None:
        """Put back an entry that was written at `written`."""
        self._entries[key] = (value, written)

    def written(self) -> Iterator[tuple[Any, Any, int]]:
        """Live entries with the time of their last write."""
        return ((key, self._entries[key][0], self._entries[key][1]) for key in self)
