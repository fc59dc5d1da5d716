"""Functions of maps. A map is a list of (key, value) pairs. A key may be NULL, and may occur twice.

Flink: ScalarOperatorGens (generateMap, generateMapComparison), MapFromArraysFunction, MapUnionFunction,
MapToMapCastRule.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.functions.duckdb.library.collections import Array, key_of
from firesteel.functions.duckdb.registry import nullable, with_result
from firesteel.types.sql import BIGINT, BOOLEAN, DATE, INT, SMALLINT, STRING, TINYINT

Pairs = list[tuple[Any, Any]]
_HASHED = {
    pa.string(): STRING,
    pa.int8(): TINYINT,
    pa.int16(): SMALLINT,
    pa.int32(): INT,
    pa.int64(): BIGINT,
    pa.date32(): DATE,
    pa.bool_(): BOOLEAN,
}
"""Key types for which a cast to a map returns the entries in the order of Java's HashMap.

Entries with other keys keep their input order.
"""


@nullable
def make(marks: str, *keys_and_values: Any) -> Pairs:
    """Return MAP[k, v, ...].

    Like Flink, merge entries with equal keys only if their keys have the same letter in `marks`. The merged
    entry has the position of the first of them and the value of the last. Other equal keys occur twice.

    Args:
        marks: A letter for each key, the same for keys that are the same expression; or `-` for a key whose
            entry is never merged. compile/maps.py assigns them.
        keys_and_values: Key, value, key, value, ...
    """
    found: dict[Any, tuple[Any, Any]] = {}
    entries = zip(keys_and_values[::2], keys_and_values[1::2], strict=True)
    for number, (mark, (key, value)) in enumerate(zip(marks, entries, strict=True)):
        found[number if mark == "-" else (mark, key_of(key))] = (key, value)
    return list(found.values())


def from_arrays(keys: Array, values: Array) -> Pairs:
    """Return a map from keys and values. Equal keys are kept."""
    if len(keys) != len(values):
        raise JobError(
            "Invalid function MAP_FROM_ARRAYS call:\nThe length of the keys array "
            f"{len(keys)} is not equal to the length of the values array {len(values)}"
        )
    return list(zip(keys, values, strict=True))


def union(first: Pairs, *others: Pairs) -> Pairs:
    """Return MAP_UNION: the maps merged one after the other.

    The result of each step has the entries of the later map, then those of the earlier map with other keys.
    The earlier map keeps all its entries with NULL keys, unless the later map has a NULL key. An empty map
    changes nothing.
    """
    found = first
    for pairs in filter(None, others):
        known = {key_of(key) for key, _ in pairs}
        has_null = None in known
        rest = []
        for key, value in found:
            if has_null if key is None else key_of(key) in known:
                continue
            known.add(key_of(key))
            rest.append((key, value))
        found = [*pairs, *rest]
    return found


@with_result
def cast(kind: pa.DataType, keys: Array, values: Array) -> Pairs:
    """Return the entries of a map of type `kind` as a cast to a map does: in the order of Java's HashMap.

    Of entries with equal keys, the last one counts. Key types that are not in _HASHED keep the input order.
    """
    found = {key_of(key): (key, value) for key, value in zip(keys, values, strict=True)}
    of_key = _HASHED.get(kind.value_type.field(0).type)
    if of_key is None or len(found) < 2:
        return list(found.values())
    from firesteel.functions.java.hash_code import hasher
    from firesteel.functions.java.hash_map import hashed

    hash_of = hasher(of_key)
    return [pair for _, pair in hashed(list(found.items()), lambda key: 0 if key is None else hash_of(key))]


def equal(left: Pairs, right: Pairs) -> bool:
    """Return whether two maps have the same keys, with equal values. Of equal keys, the last one counts.

    The result is False if the maps differ in their number of pairs, or if a value is NULL.
    """
    if len(left) != len(right):
        return False
    a, b = ({key_of(key): value for key, value in pairs} for pairs in (left, right))
    return all(
        key in b and value is not None and b[key] is not None and key_of(value) == key_of(b[key])
        for key, value in a.items()
    )
