"""Running MIN and MAX with retraction.

A value of a key exists while its count is above 0. MAX after a row is the greater of two values:

- the greatest existing value among the values that occur in the batch,
- the stored extreme, the greatest value that existed before the batch. If the batch may remove it, the
  greatest stored value that does not occur in the batch takes its place. It is read from the ordered map.

MIN is computed as MAX over the bitwise complement.

Some keys are left to the row handler, which processes their rows one by one. One case is a key that has ever
had a retraction without a matching row, and whose stored extreme may cease to exist during the batch. Flink's
result for such a key depends on the order in which the key's rows and retractions arrived.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.kernels.extremes import count_values, greatest
from firesteel.kernels.places import no_places
from firesteel.kernels.types import given
from firesteel.runtime.aggregate.scan.column import Column, Mask, Ranks, both, comparable, from_sortable_form
from firesteel.runtime.aggregate.scan.extreme import PrefixExtreme
from firesteel.runtime.aggregate.scan.pairs import Counts, Pairs
from firesteel.runtime.aggregate.scan.rows import Rows
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.columns.sorting import stable_pair_order
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.state.base import Entries, OrderedMapState
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import sortable_column
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType

_LEAST = np.int64(np.iinfo(np.int64).min)
_FIRST_READ = 16
"""Number of stored entries of a key that are read first, in the search for the next extreme."""


class RetractedExtreme:
    """Running MIN (`least`) or MAX of one call over one batch.

    `pairs` are the distinct (key, value of the argument) pairs of the batch. `state` is the map with the
    count of each value.
    """

    def __init__(
        self,
        rows: Rows,
        call: AggregateSpec,
        pairs: Pairs,
        state: OrderedMapState,
        now: int,
        least: bool,
    ) -> None:
        self._rows, self._pairs, self._state, self._now = rows, pairs, state, now
        self._argument = call.arg_types[0]
        self._flip = np.int64(-1 if least else 0)
        null = rows.null(call.args[0])
        mask = both(rows.passes(call.filter), None if null is None else ~null)
        found = state.get(rows.keys, pairs.owners, pairs.values, now)
        before = found.columns[0].fill_null(0).to_numpy(zero_copy_only=False)
        self._counts = Counts(rows, pairs, mask, before)

    @property
    def kind(self) -> SqlType:
        """Return the type of the stored extreme. FLOAT and DOUBLE are stored in sortable form."""
        return BIGINT if self._argument.root in APPROXIMATE else self._argument

    def run(self, best: pa.Array, size: pa.Array, unmatched: pa.Array) -> PrefixExtreme:
        """Return the extreme after each row.

        Args:
            best: Stored extreme of each key.
            size: Stored number of different values of each key. NULL for a key without state.
            unmatched: Whether each key has had a retraction without a matching row. NULL for no.
        """
        rows, pairs = self._rows, self._pairs
        rows.clean[pairs.owners[self._counts.least < 0]] = False
        known_size = size.fill_null(0).to_numpy(zero_copy_only=False)
        (values, known), ranks = self._numbers([pairs.values], best)
        sizes, loses = self._sizes(values.values, known.values, known_size)
        rows.reject_rows(rows.ended[sizes[rows.ended] != 0])
        rows.clean[known.is_null & (known_size > 0)] = False
        rows.clean[loses & unmatched.fill_null(False).to_numpy(zero_copy_only=False)] = False
        owners = np.flatnonzero(loses & (known_size > 0) & rows.clean)
        rest = next_values(
            self._state, rows.keys, owners, pairs, best, self._argument, self._flip == 0, self._now
        )
        held = values
        if len(rest.owners):
            (values, held, known), ranks = self._numbers([pairs.values, rest.sub_keys], best)
        others = np.where((known_size > 0) & ~loses, known.values, _LEAST)
        others[rest.owners] = held.values[: len(rest.owners)]
        return PrefixExtreme(
            Column(self._greatest(values.values, others) ^ self._flip, sizes == 0),
            Column(known.values ^ self._flip, known_size == 0),
            self.kind, ranks, Column(sizes),
        )  # fmt: skip

    def save(self) -> None:
        """Write the changed counts to the state, except those of keys that are left to the row handler."""
        counts, owners = self._counts, self._pairs.owners
        write = np.flatnonzero((counts.last != counts.before) & self._rows.clean[owners])
        if len(write):
            values, last = self._pairs.values.take(pa.array(write)), counts.last[write]
            self._state.put(self._rows.keys, owners[write], values, [pa.array(last)], self._now, last != 0)

    def _sizes(self, values: Index, known: Index, stored: Index) -> tuple[Index, Mask]:
        """Return two arrays: the number of existing values after each row, and the keys to read anew.

        A value of a key exists while its count is above 0. The stored extreme of a key may be wrong after the
        batch, so that the key must be read anew, in these cases:

        - A value at or above the extreme ceases to exist.
        - After some row, no value of the key exists, or the key has no records.

        Args:
            values: int64[p], the value of each (key, value) pair of the batch, as a number (`_numbers`).
            known: int64[g], the stored extreme of each key, as such a number.
            stored: int64[g], the stored number of different values of each key.

        Returns:
            int64[n]: for each row, the number of different values of its key that exist after the row.
            bool[g]: whether the stored extreme of each key may be wrong. False for keys without state.
        """
        rows, counts = self._rows, self._counts
        sizes, loses = np.empty(len(rows), np.int64), np.zeros(len(rows.keys), np.bool_)
        read = (rows.keys.starts, counts.moves, counts.after, self._pairs.of_rows, values, known, stored)
        count_values(sizes, loses, *given(*read))
        loses[rows.ended_keys] = True
        return sizes, loses & rows.stored.found

    def _greatest(self, values: Index, others: Index) -> Index:
        """Return, for each row, the greatest value of its key that exists after the row, int64[n].

        A value exists while its count is above 0. Values are numbers (`_numbers`). The result is the greater
        of two candidates: the greatest existing value among `values`, and the key's value in `others`.

        Args:
            values: int64[p], the value of each (key, value) pair of the batch.
            others: int64[g], for each key a stored value that exists after every row of the batch. It is the
                stored extreme, if the batch cannot remove the extreme. Otherwise, it is the greatest stored
                value that has no row in the batch. The least int64 if the key has no such value.
        """
        rows, pairs, counts = self._rows, self._pairs, self._counts
        places, before = pairs.of_rows, counts.before
        if not pairs.in_order or self._flip:
            # `greatest` needs the pairs of a key by ascending number. Here they are sorted by hash, so sort
            # them anew, or their numbers descend, as they are complemented for MIN, so reverse them.
            order = _turned(pairs.owners) if pairs.in_order else stable_pair_order(pairs.owners, values)
            place = np.empty_like(order)
            place[order] = np.arange(len(order))
            places, values, before = place[places], values[order], before[order]
        best = np.empty(len(rows), np.int64)
        read = (rows.keys.starts, counts.moves, counts.after, places, pairs.owners, values, before, others)
        greatest(best, *no_places(len(pairs)), *given(*read))
        return best

    def _numbers(self, arrays: list[pa.Array], best: pa.Array) -> tuple[list[Column], Ranks | None]:
        """Return values as numbers of which the greatest one is the extreme, for MAX and for MIN.

        For MIN, the numbers are complemented, so that the least value has the greatest number.

        Args:
            arrays: Arrays of values of the argument.
            best: Stored extremes.

        Returns:
            The numbers of each array, and last those of `best`. Then, for strings, the `Ranks` that turn
            numbers into strings, else None.
        """
        if self._argument.root in APPROXIMATE:
            arrays = [sortable_column(array) for array in arrays]
        columns, ranks = comparable([*arrays, best], self.kind)
        if self._flip:
            columns = [Column(column.values ^ self._flip, column.null) for column in columns]
        return columns, ranks


def _turned(owners: Index) -> Index:
    """Return the indices of p (key, value) pairs, int64[p], reversed within each key.

    `owners` has the key number of each pair, ascending:

        owners 0, 0, 0, 1, 1   ->   2, 1, 0, 4, 3
    """
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    sizes = np.diff(starts, append=len(owners))
    turned: Index = np.repeat(2 * starts + sizes - 1, sizes) - np.arange(len(owners))
    return turned


def next_values(
    state: OrderedMapState, keys: Keys, owners: Index, pairs: Pairs, best: pa.Array, argument: SqlType,
    greatest: bool, now: int,
) -> Entries:  # fmt: skip
    """Return the greatest (or least) stored value of some keys that the batch does not have.

    The result has no entry for a key of which the batch has all stored values.

    Args:
        state: The values of each key.
        keys: Keys of the batch.
        owners: Indices of the keys to search.
        pairs: The (key, value) pairs of the batch.
        best: Stored extreme of each of `keys`. The search begins at it: no stored value is beyond it.
        argument: Type of the values.
        greatest: True for the greatest value, False for the least one.
        now: Processing time.
    """
    found: list[Entries] = []
    most = np.bincount(pairs.owners, minlength=len(keys)) + 1
    # A few entries of each key are nearly always enough. If all entries that were read of a key occur in the
    # batch, read once more: one entry more than the batch has values of the key.
    for enough in (False, True):
        counts = most[owners] if enough else np.minimum(most[owners], _FIRST_READ)
        start = _arguments(best.take(pa.array(owners)), argument)
        read = (state.last if greatest else state.first)(keys, owners, counts, now, start)
        others = np.flatnonzero(~pairs.has(read.owners, read.sub_keys))
        new = np.ones(len(others), np.bool_)
        new[1:] = read.owners[others[1:]] != read.owners[others[:-1]]
        first = others[new]
        found.append(Entries(read.owners[first], read.sub_keys.take(pa.array(first)), ()))
        full = np.bincount(read.owners, minlength=len(keys))[owners] == counts
        owners = owners[full & (counts < most[owners]) & ~np.isin(owners, read.owners[first])]
        if not len(owners):
            break
    return _joined(found, argument)


def _arguments(best: pa.Array, argument: SqlType) -> pa.Array:
    """Return stored extremes in the argument's type: FLOAT and DOUBLE are stored in sortable form."""
    if argument.root not in APPROXIMATE:
        return best
    return pa.array(from_sortable_form(best.to_numpy(zero_copy_only=False))).cast(to_arrow(argument))


def _joined(found: list[Entries], argument: SqlType) -> Entries:
    """Return all entries of `found` (a key has at most one), sorted by key."""
    if len(found) == 1:
        return found[0]
    if not found:
        return Entries(np.zeros(0, np.int64), pa.nulls(0, to_arrow(argument)), ())
    owners = np.concatenate([each.owners for each in found])
    order = np.argsort(owners, kind="stable")
    sub_keys = pa.concat_arrays([each.sub_keys for each in found]).take(pa.array(order))
    return Entries(owners[order], sub_keys, ())
