"""java.util.HashMap, step by step: buckets that keep the order of arrival and double when three quarters of
their number are there. (No trees.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class HashMap:
    """A map from keys, whose hashes `hash_of` gives, to values."""

    def __init__(self, hash_of: Callable[[Any], int]) -> None:
        self._hash_of = hash_of
        self._buckets: list[list[tuple[Any, Any]]] = [[] for _ in range(16)]

    def _bucket(self, key: Any) -> list[tuple[Any, Any]]:
        code = self._hash_of(key) & 0xFFFFFFFF
        return self._buckets[(code ^ code >> 16) % len(self._buckets)]

    def get(self, key: Any) -> Any:
        """The value of a key; None where there is none."""
        return next((value for mine, value in self._bucket(key) if mine == key), None)

    def put(self, key: Any, value: Any) -> None:
        """A new key comes last in its bucket, a known one stays in its place."""
        bucket = self._bucket(key)
        for i, (mine, _) in enumerate(bucket):
            if mine == key:
                bucket[i] = (key, value)
                return
        bucket.append((key, value))
        if len(self) > len(self._buckets) * 3 // 4:
            entries = list(self)
            self._buckets = [[] for _ in range(2 * len(self._buckets))]
            for each in entries:
                self._bucket(each[0]).append(each)

    def remove(self, key: Any) -> None:
        """Without a trace; the buckets stay as many."""
        bucket = self._bucket(key)
        bucket[:] = [each for each in bucket if each[0] != key]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return (each for bucket in self._buckets for each in bucket)

    def __len__(self) -> int:
        return sum(map(len, self._buckets))


def copied(entries: HashMap, hash_of: Callable[[Any], int]) -> HashMap:
    """Put into a new map, in the order of the old one."""
    copy = HashMap(hash_of)
    for key, value in entries:
        copy.put(key, value)
    return copy
