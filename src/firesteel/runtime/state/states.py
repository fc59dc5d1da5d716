"""Value state and map state over sorted runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import U64, Words, is_one_word, sub_key_words
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.state.base import Entries, Found
from firesteel.runtime.state.levels import Levels
from firesteel.runtime.state.look_up import all_entries, entries_between, key_sizes, look_up
from firesteel.runtime.state.runs import Index, Mask, Run
from firesteel.runtime.state.sort import is_sorted, run_order


def _new_run(
    levels: Levels, words: tuple[U64, ...], columns: Sequence[pa.Array], live: Mask | None, now: int,
    tail: bool = False,
) -> Run:  # fmt: skip
    if live is not None and live.all():
        live = None
    time = np.full(len(words[0]), now, np.int64) if levels.ttl else None
    return Run(words, tuple(columns), live, time, tail)


class SortedValueState:
    """`ValueState` over sorted runs. The columns of a run are the key columns, then the values."""

    def __init__(self, levels: Levels, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType]):
        self.levels = levels
        self._key_types = tuple(key_types)
        self._types = tuple(types)

    def get(self, keys: Keys, now: int) -> Found:
        return look_up(self.levels, Run((keys.hash1, keys.hash2), ()), now, len(self._key_types), self._types)

    def put(
        self, keys: Keys, owners: Index, columns: Sequence[pa.Array], now: int, live: Mask | None = None
    ) -> None:
        if len(owners) == len(keys):
            words, own = (keys.hash1, keys.hash2), keys.columns
        else:
            at = pa.array(owners)
            words = (keys.hash1[owners], keys.hash2[owners])
            own = tuple(column.take(at) for column in keys.columns)
        self.levels.add(_new_run(self.levels, words, (*own, *columns), live, now), now)


class SortedMapState:
    """`MapState` over sorted runs. The columns of a run are the sub-key, then the values."""

    def __init__(self, levels: Levels, sub_type: pa.DataType, types: Sequence[pa.DataType]):
        self.levels = levels
        self._sub_type = sub_type
        self._types = tuple(types)
        self._lead = 1
        """Number of columns of a run before the values. The last of these columns is the sub-key."""

    def get(
        self, keys: Keys, owners: Index, sub_keys: pa.Array, now: int, words: Words | None = None
    ) -> Found:
        named = self._named(keys, owners, sub_keys, words)
        wanted = named if named.tail else Run(named.words, ())
        if not np.any(owners[1:] < owners[:-1]):
            return look_up(self.levels, wanted, now, self._lead, self._types)
        order = stable_order(owners)
        found = look_up(self.levels, wanted.take(order), now, self._lead, self._types)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        at = pa.array(back)
        return Found(found.found[back], tuple(column.take(at) for column in found.columns))

    def entries(self, keys: Keys, owners: Index, now: int) -> Entries:
        return self._entries(owners, all_entries(self.levels, keys.hash1[owners], keys.hash2[owners], now))

    def held(self) -> int:
        return self.levels.held()

    def entry_bytes(self) -> int:
        return self.levels.entry_bytes()

    def sizes(self, keys: Keys, owners: Index) -> Index:
        return key_sizes(self.levels, keys.hash1[owners])

    def part(self, keys: Keys, owner: int, part: int, parts: int, now: int) -> Entries:
        first = int(keys.hash1[owner]) << 64
        low, high = (first + (number << 64) // parts for number in (part, part + 1))
        hash2 = keys.hash2[owner : owner + 1]
        return self._entries(np.array([owner]), entries_between(self.levels, hash2, low, high, now))

    def put(
        self, keys: Keys, owners: Index, sub_keys: pa.Array, columns: Sequence[pa.Array], now: int,
        live: Mask | None = None, words: Words | None = None,
    ) -> None:  # fmt: skip
        named = self._named(keys, owners, sub_keys, words)
        run = _new_run(self.levels, named.words, (*named.columns, *columns), live, now, named.tail)
        if not is_sorted(run, owners):
            run = run.take(run_order(run))
        self.levels.add(run, now)

    def clear(self, keys: Keys, owners: Index, now: int) -> None:
        entries = self.entries(keys, owners, now)
        if len(entries.owners):
            dead = np.zeros(len(entries.owners), np.bool_)
            self.put(keys, entries.owners, entries.sub_keys, entries.columns, now, dead)

    def _entries(self, owners: Index, found: tuple[Index, Run] | None) -> Entries:
        """Return found entries as `Entries`, whose `owners` are indices into the `Keys` of the request.

        `owners`: indices of the requested keys. `found`: for each entry the position of its key in `owners`,
        then the entries; None for no entry.
        """
        if found is None:
            none = pa.nulls(0, self._sub_type)
            return Entries(np.zeros(0, np.int64), none, tuple(pa.nulls(0, kind) for kind in self._types))
        index, run = found
        return Entries(owners[index], run.columns[self._lead - 1], run.columns[self._lead :])

    def _named(self, keys: Keys, owners: Index, sub_keys: pa.Array, known: Words | None = None) -> Run:
        """Return a run of keys and sub-keys without values, to look them up or to add values.

        `known`: `value_words(sub_keys)`. None: they are computed.
        """
        hash2 = keys.hash2[owners]
        sub1, sub2 = sub_key_words(sub_keys, hash2, known)
        words = (keys.hash1[owners], sub1, hash2)
        return Run(words if is_one_word(self._sub_type) else (*words, sub2), (sub_keys,))
