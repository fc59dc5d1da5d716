"""JoinSide, the state of one input of a join: its rows by join key.

It is a map (join key, row key) -> row. The row key is the unique key of the input. Without one, it is the
whole row, and the value is the number of copies (Flink: JoinRecordStateViews, HasUniqueKey and NoUniqueKey).
A row with a NULL in its join key never has a partner and is not stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.kernels.column_hashes import value_words
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.operators.join.delta import Delta, Index, Mask
from firesteel.runtime.spec.join import JoinInput
from firesteel.runtime.state.base import Entries, StateBackend
from firesteel.types.arrow import to_arrow

_ONLY_ROW = pa.field("k0", pa.int8())
"""Row key of an input that has at most one row (its unique key has no columns)."""


@dataclass(frozen=True)
class Rows:
    """The m rows that one input has for g join keys, sorted by key.

    Attributes:
        starts: int64[g], position of the first row of each key.
        stops: int64[g], position after the last row of each key.
        owners: int64[m], index of each row's join key.
        fields: The fields, m rows each.
        row_keys: m row keys.
        counts: int64[m], number of copies of each row.
        partners: int64[m], number of partners of each row; empty if the state has no such numbers.
    """

    starts: Index
    stops: Index
    owners: Index
    fields: tuple[pa.Array, ...]
    row_keys: pa.Array
    counts: Index
    partners: Index


class JoinSide:
    """State of one input of a join.

    Args:
        spec: The input.
        backend: State of the operator.
        name: Prefix of the state's name.
        with_partners: Whether the number of partners of each row is stored.
    """

    def __init__(self, spec: JoinInput, backend: StateBackend, name: str, with_partners: bool) -> None:
        self._types = [to_arrow(kind) for kind in spec.types]
        self._unique = spec.unique_key
        self._with_partners = with_partners
        self._expires = spec.ttl > 0
        kept = range(len(self._types)) if spec.unique_key is None else spec.unique_key
        self._row_key = tuple(kept)
        sub_type = pa.struct([(f"k{i}", self._types[at]) for i, at in enumerate(kept)] or [_ONLY_ROW])
        values = [pa.int64()] if spec.unique_key is None else list(self._types)
        if with_partners:
            values.append(pa.int64())
        self._rows = backend.map(f"{name}.rows.v1", sub_type, values, spec.ttl)

    def held(self) -> int:
        """Return an upper bound of the number of stored rows of all join keys."""
        return self._rows.held()

    def row_bytes(self) -> int:
        """Return the mean number of bytes of a row in memory, at least 1."""
        return self._rows.entry_bytes()

    def sizes(self, keys: Keys, owners: Index) -> Index:
        """Return an upper bound of the number of rows of each selected join key, int64[m].

        `owners`: int64[m], indices of the selected keys in `keys`, ascending and distinct.
        """
        return self._rows.sizes(keys, owners)

    def rows(self, keys: Keys, owners: Index, now: int) -> Rows:
        """Return all rows of some join keys.

        Args:
            keys: The keys of the batch.
            owners: int64[m], ascending and distinct indices into `keys`: the keys whose rows are read. In the
                result, the other keys have no rows.
            now: Processing time in milliseconds.
        """
        return self._of(keys, self._rows.entries(keys, owners, now))

    def part(self, keys: Keys, owner: int, part: int, parts: int, now: int) -> Rows:
        """Return part number `part` of the rows of one join key, which are divided into `parts` parts.

        `owner` is the index of the key in `keys`, `now` the processing time in milliseconds.
        """
        return self._of(keys, self._rows.part(keys, owner, part, parts, now))

    def _of(self, keys: Keys, found: Entries) -> Rows:
        every = np.arange(len(keys), dtype=np.int64)
        starts, stops = (np.searchsorted(found.owners, every, side) for side in ("left", "right"))
        return Rows(
            starts, stops, found.owners, self._fields(found), found.sub_keys, self._counts(found),
            _numbers(found.columns[-1]) if self._with_partners else np.empty(0, np.int64),
        )  # fmt: skip

    def _fields(self, found: Entries) -> tuple[pa.Array, ...]:
        if self._unique is not None:
            return found.columns[: len(self._types)]
        return tuple(found.sub_keys.field(i) for i in range(len(self._types)))

    def _counts(self, found: Entries) -> Index:
        if self._unique is not None:
            return np.ones(len(found.owners), np.int64)
        return _numbers(found.columns[0])

    def apply(self, delta: Delta, partners: Index, now: int) -> None:
        """Write changes of the input to the state.

        Args:
            delta: The changes.
            partners: int64[n], number of partners of each added row. Unused if the state has no such numbers.
            now: Processing time in milliseconds.
        """
        at = np.flatnonzero(delta.joins)
        if not len(at):
            return
        parts = [take_rows(delta.fields[i], at) for i in self._row_key]
        if not parts:
            parts = [pa.array(np.zeros(len(at), np.int8))]
        row_keys = pa.StructArray.from_arrays(parts, names=[f"k{i}" for i in range(len(parts))])
        change = _Written(delta, at, row_keys)
        kept = partners[at] if self._with_partners else None
        if self._unique is not None:
            self._put_unique(change, kept, now)
        else:
            self._put_counted(change, kept, now)

    def _put_unique(self, change: _Written, partners: Index | None, now: int) -> None:
        """Write the last change of each unique key: its row is stored or removed."""
        last, delta = change.last, change.delta
        columns = [take_rows(column, change.at[last]) for column in delta.fields]
        if partners is not None:
            columns.append(pa.array(partners[last]))
        self._rows.put(
            delta.keys, change.owners[last], take_rows(change.row_keys, last), columns, now,
            delta.adds[change.at[last]], (change.words[0][last], change.words[1][last]),
        )  # fmt: skip

    def _put_counted(self, change: _Written, partners: Index | None, now: int) -> None:
        """Write new numbers of copies of rows.

        The number does not fall below zero: the removal of a row that is not stored changes nothing (Flink:
        JoinRecordStateViews.InputSideHasNoUniqueKey).
        """
        last, order, keys = change.last, change.order, change.delta.keys
        owners, sub_keys = change.owners[last], take_rows(change.row_keys, last)
        words = (change.words[0][last], change.words[1][last])
        found = self._rows.get(keys, owners, sub_keys, now, words)
        before = np.where(found.found, _numbers(found.columns[0]), 0)
        after = floored_sums(before, change.delta.signs[change.at][order], change.starts)
        columns = [pa.array(after)]
        changed = after != before
        if self._expires:  # A row that is removed and added again starts a new time to live.
            changed |= after > 0
        if partners is not None:
            kept = np.where(found.found, _numbers(found.columns[1]), 0)
            came = _last_added(change.delta.adds[change.at][order], change.starts)
            new = np.where(came >= 0, partners[order[came]], kept)
            columns.append(pa.array(new))
            changed |= new != kept
        some = np.flatnonzero(changed)
        if len(some):
            self._rows.put(
                keys, owners[some], take_rows(sub_keys, some), [take_rows(c, some) for c in columns], now,
                after[some] > 0, (words[0][some], words[1][some]),
            )  # fmt: skip

    def set_partners(self, keys: Keys, rows: Rows, partners: Index, met: Mask, now: int) -> None:
        """Write the numbers of partners of m rows where they have changed.

        Rows with a time to live are also written if a partner has come and gone, as in Flink.

        Args:
            keys: The keys of the batch.
            rows: The rows.
            partners: int64[m], their numbers of partners.
            met: bool[m], whether a partner has come or gone.
            now: Processing time in milliseconds.
        """
        at = np.flatnonzero((partners != rows.partners) | met if self._expires else partners != rows.partners)
        if not len(at):
            return
        taken = pa.array(at)
        if self._unique is not None:
            columns = [column.take(taken) for column in rows.fields]
        else:
            columns = [pa.array(rows.counts[at])]
        columns.append(pa.array(partners[at]))
        self._rows.put(keys, rows.owners[at], rows.row_keys.take(taken), columns, now)


class _Written:
    """m changes of a delta that are written to the state, grouped by the row that they add or remove.

    Attributes:
        delta: The delta.
        at: int64[m], positions of the changes in the delta.
        row_keys: m row keys.
        owners: int64[m], index of each change's join key among the keys of the delta.
        words: Hashes of the row keys, m each.
        order: int64[m], numbers of the m changes, group by group. The changes of a group keep their order.
        starts: int64[g], position in `order` where each group begins.
        last: int64[g], number of the last change of each group, among the m changes.
    """

    def __init__(self, delta: Delta, at: Index, row_keys: pa.Array) -> None:
        self.delta, self.at, self.row_keys = delta, at, row_keys
        self.owners: Index = delta.keys.codes[at]
        self.words = value_words(row_keys)
        same = find_keys([pa.array(self.owners), *map(pa.array, self.words)], len(at))
        # If all rows differ, any order will do. In the order of the input, take_rows need not copy columns.
        if len(same) == len(at):
            self.order = self.starts = self.last = np.arange(len(at))
        else:
            self.order, self.starts = same.order, same.starts
            self.last = same.order[same.starts + same.counts - 1]


def take_rows(column: pa.Array, at: Index) -> pa.Array:
    """Return the values at some positions. If there are as many positions as values, they must be ascending.

    Then the column itself is returned, without a copy.
    """
    return column if len(at) == len(column) else column.take(pa.array(at))


def floored_sums(before: Index, signs: Index, starts: Index) -> Index:
    """Return the count of each group after its steps, int64[g]. A step that leads below zero is skipped.

    If no step is skipped, group i ends at before[i] + the sum of its steps. If steps are skipped, the result
    is higher, by the depth of the lowest point below zero on the way without skipping. For example, the steps
    -1 -1 +1 from 1 lead to 0, -1 and 0 without skipping. The lowest point is -1, so the result is 0 + 1.

    Args:
        before: int64[g], count of each group before its steps, not below zero.
        signs: int64[n], the steps, 1 or -1, group by group.
        starts: int64[g], position of the first step of each group.
    """
    if not len(starts):
        return before
    sums = np.cumsum(signs)
    base = sums[starts] - signs[starts]
    ways = sums - np.repeat(base - before, np.diff(starts, append=len(signs)))
    ends = ways[np.append(starts[1:], len(signs)) - 1]
    floored: Index = ends - np.minimum(np.minimum.reduceat(ways, starts), 0)
    return floored


def _last_added(adds: NDArray[np.bool_], starts: Index) -> Index:
    """Return the position of the last addition among the changes of each row, int64[g]; -1 for none.

    Args:
        adds: bool[m], whether each change adds its row. The changes of a row are adjacent.
        starts: int64[g], position of the first change of each row.
    """
    places = np.where(adds, np.arange(len(adds)), -1)
    last: Index = np.maximum.reduceat(places, starts)
    return last


def _numbers(column: pa.Array) -> Index:
    numbers: Index = np.asarray(column.fill_null(0).to_numpy(zero_copy_only=False), np.int64)
    return numbers
