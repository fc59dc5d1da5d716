"""Iteration order of Java's HashMap, which is the order of a MULTISET from COLLECT.

Flink keeps the map of a key in its heap state and copies it into another HashMap for each result. An entry is
in the bucket of its hash. Entries of one bucket keep their order of insertion. The number of buckets grows
with the entries and never shrinks, until the map is empty and starts again. Buckets that Java converts to
trees (eight entries or more) are not modelled.
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
"""Entries of a map: (key, [value, arrival number]).

The keys are in key form (types/internal_values.py), the hashable Python form of SQL values.
"""

Ordered = Callable[[Entries, int], list[tuple[Any, Any]]]
"""Function that sorts entries into Java's order, and returns (key, value) pairs.

The second argument is the largest number of entries that the map had since it was last empty. It determines
the number of buckets.
"""


@lru_cache(maxsize=64)
def ordered_keys(kind: SqlType) -> Ordered:
    """Return a function that sorts the entries of a map into Java's order, for keys of type `kind`.

    The returned keys are in key form (types/internal_values.py), like the keys of the entries.
    """
    return partial(_ordered, hasher(kind))


def hashed(pairs: Sequence[tuple[Any, Any]], hash_of: Hash, room: int = 16) -> list[tuple[Any, Any]]:
    """Return the items of a new map in Java's order.

    Args:
        pairs: Items in the order of insertion.
        hash_of: Hash function of the keys.
        room: Initial capacity of the map.
    """
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
    """Return a function that sorts the entries of a map into Java's order, for keys of type `kind`.

    It takes keys in key form, which is hashable, and returns them in internal form, as row-wise code reads
    them (types/internal_values.py). The two forms differ for FLOAT, DOUBLE and nested types.

    Raises:
        NotSupportedError: The keys are BYTES. Flink compares them by identity, so their order is random.
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
    """Return a function from a mapping to its items in the order of a Java HashMap, for keys of type `kind`.

    The HashMap is a new one that gets the items in the order of the mapping. The keys are in key form
    (types/internal_values.py), the hashable Python form of SQL values, also in the result.
    """
    hash_of = hasher(kind)
    return lambda seen: hashed([(key, seen[key]) for key in seen], hash_of)


def buckets(entries: int, room: int = 16) -> int:
    """Return the number of buckets of a map with initial capacity `room` that has grown to `entries`."""
    size = 1
    while size < room or entries > size * 3 // 4:
        size *= 2
    return size


def _place(entry: tuple[int, int, int, Any, Any]) -> tuple[int, int, int]:
    return entry[:3]
