"""Order in which Flink iterates over a bundle: that of a Java HashMap by key.

Flink: MapBundleOperator, whose map is cleared after each bundle and keeps its size. The keys are
BinaryRowData with its hash. Within a bucket, keys keep their insertion order. Buckets that Java turns into
trees are not modeled.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.functions.java.hash_code import hasher
from firesteel.functions.java.hash_map import buckets
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.dataflow.sequence import attributed, ranks
from firesteel.types.internal_values import to_keys
from firesteel.types.sql import SqlType, TypeRoot

Index = NDArray[np.int64]


class MapOrder:
    """Order of a Java HashMap of one operator. The map never shrinks, so its size is kept between bundles.

    Args:
        keys: Positions of the key fields.
        kinds: Types of the key fields.
    """

    def __init__(self, keys: Sequence[int], kinds: Sequence[SqlType]) -> None:
        self._keys = tuple(keys)
        self._kinds = tuple(kinds)
        self._most = 0

    def arranged(self, changes: pa.Table) -> pa.Table:
        """Return the rows of a bundle with new sequences and sub-sequences, which sort the keys in map order.

        The rows stay where they are in the table. Only the sequence (with its sub-sequence) of the last row
        of each key is used. The first key in map order gets the lowest of these sequences, the second key the
        next one, and so on. All rows of a key get the sequence of their key:

            rows a/1, b/2, a/3 (key/sequence), map order a, b   ->   a/2, b/3, a/2
        """
        keys = find_keys([changes.column(field(i)) for i in self._keys], changes.num_rows)
        last = keys.order[keys.starts + keys.counts - 1]
        dealt = np.empty_like(last)
        dealt[self._places(keys)] = last[np.argsort(ranks(changes)[last], kind="stable")]
        return attributed(changes, dealt[keys.codes])

    def _places(self, keys: Keys) -> Index:
        """Return the indices of the keys in the order of the HashMap."""
        self._most = max(self._most, len(keys))
        slots = spread_hashes(keys, self._kinds) & (buckets(self._most) - 1)
        came = keys.order[keys.starts]
        return np.lexsort((came, slots))


def spread_hashes(keys: Keys, kinds: Sequence[SqlType]) -> Index:
    """Return the hash of each key as HashMap uses it: the upper half is mixed into the lower one."""
    hash_of = hasher(SqlType(TypeRoot.ROW, children=tuple(kinds)))
    values = [to_keys(column, kind) for column, kind in zip(keys.columns, kinds, strict=True)]
    rows = zip(*values, strict=True) if values else [()] * len(keys)
    hashes = np.fromiter(map(hash_of, rows), np.int64, len(keys))
    return hashes ^ hashes >> 16


def inner_places(keys: Keys, kinds: Sequence[SqlType], groups: Keys, came: Index) -> Index:
    """Return the indices of the keys, sorted by group: int64[n] for n keys.

    Each group stands for a Java HashMap that has only the keys of the group. Within a group, the keys are in
    the order in which Java iterates over this map.

    Args:
        keys: The keys.
        kinds: Types of the key fields.
        groups: Groups of the keys: each key is one row of `groups`.
        came: int64[n], the order in which the keys are added to their map: a key added later has a greater
            number. It decides between keys of the same bucket.
    """
    rooms = np.array([buckets(count) for count in groups.counts.tolist()], np.int64)
    slots = spread_hashes(keys, kinds) & (rooms[groups.codes] - 1)
    return np.lexsort((came, slots, groups.codes))
