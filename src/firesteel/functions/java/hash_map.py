"""The order in which Java goes through a HashMap, which is the order of a MULTISET that COLLECT gives.

Flink keeps the map of a key in its heap state and copies it into another HashMap for each result. An entry
stands in the bucket of its hash; within a bucket entries keep the order in which they came. The number of
buckets grows with the entries and never shrinks, until the map is empty and begins anew.
Buckets that Java turns into trees (eight equal ones) are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from firesteel.errors import NotSupportedError
from firesteel.functions.java.hash_code import Hash, hasher
from firesteel.types.internal_values import from_key
from firesteel.types.sql import BYTES_LIKE, SqlType

Entries = Iterable[tuple[Any, list[Any]]]
"""(key in key form, [value, arrival number])."""

Ordered = Callable[[Entries, int], list[tuple[Any, Any]]]
"""From the entries and the most that there have been since the map was empty to (key, value) in order."""


@lru_cache(maxsize=64)
def ordered_keys(kind: SqlType) -> Ordered:
    """The entries of a map with keys of this type in Java's order, the keys in key form."""
    return partial(_ordered, hasher(kind))


def hashed(pairs: Sequence[tuple[Any, Any]], hash_of: Hash, room: int = 16) -> list[tuple[Any, Any]]:
    """The items of a new map, made with room for so many, into which the pairs were put."""
    entries = ((key, [value, i]) for i, (key, value) in enumerate(pairs))
    return _ordered(hash_of, entries, len(pairs), room)


def _ordered(hash_of: Hash, entries: Entries, most: int, room: int = 16) -> list[tuple[Any, Any]]:
    known = list(entries)
    source, copy = buckets(most, room) - 1, buckets(len(known), room) - 1
    placed = []
    for key, (value, arrival) in known:
        spread = hash_of(key) & 0xFFFFFFFF
        spread ^= spread >> 16
        placed.append((spread & copy, spread & source, arrival, key, value))
    placed.sort(key=_place)
    return [(key, value) for _, _, _, key, value in placed]


@lru_cache(maxsize=64)
def ordered_values(kind: SqlType) -> Ordered:
    """The same with the keys in internal form.

    Raises NotSupportedError for BYTES: Flink compares them by identity, and their order is chance.
    """
    if kind.root in BYTES_LIKE:
        raise NotSupportedError(
            f"COLLECT over {kind} is not supported: Flink takes no two of its values for equal",
            hint="collect a text of it, as TO_BASE64 gives",
        )
    keys = ordered_keys(kind)
    return lambda entries, most: [(from_key(key, kind), value) for key, value in keys(entries, most)]


@lru_cache(maxsize=64)
def ordered_seen(kind: SqlType) -> Callable[[Mapping[Any, Any]], list[tuple[Any, Any]]]:
    """The items of a map with keys of this type, which came in the order of the map, in Java's order."""
    hash_of = hasher(kind)
    return lambda seen: hashed([(key, seen[key]) for key in seen], hash_of)


def buckets(entries: int, room: int = 16) -> int:
    """How many buckets a map has that was made with `room` and grew to so many entries."""
    size = 1
    while size < room or entries > size * 3 // 4:
        size *= 2
    return size


def _place(entry: tuple[int, int, int, Any, Any]) -> tuple[int, int, int]:
    return entry[:3]
