"""Look up entries in all levels of a state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.kernels.column_hashes import U64
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.state.base import Found
from firesteel.runtime.state.levels import Levels
from firesteel.runtime.state.merge import merge
from firesteel.runtime.state.runs import END, Index, Run, bounds, find, slices


def look_up(levels: Levels, wanted: Run, now: int, skip: int, types: Sequence[pa.DataType]) -> Found:
    """Return the newest version of each wanted entry. If it is deleted or expired, the entry does not exist.

    Args:
        levels: Levels of the state.
        wanted: Entries to look up, sorted by their first word, such as the key's hash (runs.py).
        now: Processing time in milliseconds.
        skip: Number of leading columns of a run that are not returned, such as the key columns.
        types: Types of the columns that are returned.
    """
    rows, expiry = len(wanted), levels.expiry(now)
    pending = np.arange(rows, dtype=np.int64)
    hits: list[tuple[Index, Run, Index]] = []
    for piece, run in levels.runs():
        start, stop = 0, len(pending)
        if piece.low > 0 or piece.high < END:
            first = wanted.words[0][pending]
            start = int(np.searchsorted(first, np.uint64(piece.low >> 64)))
            if piece.high < END:
                stop = int(np.searchsorted(first, np.uint64(piece.high >> 64), side="right"))
            run = run.slice(*bounds(run, piece.low, piece.high))
        asked = pending[start:stop]
        if not len(asked):
            continue
        which, place = find(run, wanted if len(asked) == rows else wanted.take(asked))
        if not len(which):
            continue
        there = run.there(place, expiry)
        hits.append((asked[which[there]], run, place[there]))
        left = np.ones(len(pending), np.bool_)
        left[start + which] = False
        pending = pending[left]
        if not len(pending):
            break
    return _gather(hits, rows, skip, types)


def _gather(
    hits: Sequence[tuple[Index, Run, Index]], rows: int, skip: int, types: Sequence[pa.DataType]
) -> Found:
    found = np.zeros(rows, np.bool_)
    hits = [hit for hit in hits if len(hit[0])]
    if not hits:
        return Found(found, tuple(pa.nulls(rows, kind) for kind in types))
    places = [pa.array(place) for _, _, place in hits]
    at = np.full(rows, -1, np.int64)
    begin = 0
    for index, _, _ in hits:
        at[index] = np.arange(begin, begin + len(index))
        begin += len(index)
    np.greater_equal(at, 0, out=found)
    as_asked = len(hits) == 1 and begin == rows
    back = None if as_asked else pa.array(at, mask=~found)
    columns = []
    for c in range(skip, skip + len(types)):
        parts = [run.columns[c].take(place) for (_, run, _), place in zip(hits, places, strict=True)]
        joined = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
        columns.append(joined if back is None else joined.take(back))
    return Found(found, tuple(columns))


def all_entries(levels: Levels, hash1: U64, hash2: U64, now: int) -> tuple[Index, Run] | None:
    """Return all live entries of some keys, given by their hashes in ascending order.

    Returns:
        The index of the key of each entry, and the entries. None if there are none.
    """
    return entries_in(levels, hash2, [(run, *slices(run, hash1)) for _, run in levels.clipped_runs()], now)


def key_sizes(levels: Levels, hash1: U64) -> Index:
    """Return how many entries, dead ones too, have each of m ascending first hashes, int64[m]."""
    sizes = np.zeros(len(hash1), np.int64)
    for _, run in levels.clipped_runs():
        start, stop = slices(run, hash1)
        sizes += stop - start
    return sizes


def entries_between(levels: Levels, hash2: U64, low: int, high: int, now: int) -> tuple[Index, Run] | None:
    """Return all live entries of one key at places [low, high), in the form of `entries_in`.

    The index of the key is 0 for each entry. None if there are no entries.

    A place is the first two words of an entry as one number: the key's first hash << 64 | the second word.

    Args:
        levels: Levels of the state.
        hash2: uint64[1], second hash of the key.
        low: First place of the range. Its upper 64 bits are the first hash of the key.
        high: Place after the last place of the range.
        now: Processing time in milliseconds.
    """
    stretches = []
    for level in levels.levels:
        for piece in level:
            if piece.high <= low or piece.low >= high:
                continue
            run = levels.run(piece)
            start, stop = bounds(run, max(low, piece.low), min(high, piece.high))
            if start < stop:
                stretches.append((run, np.array([start]), np.array([stop])))
    return entries_in(levels, hash2, stretches, now)


def entries_in(
    levels: Levels, hash2: U64, stretches: Sequence[tuple[Run, Index, Index]], now: int
) -> tuple[Index, Run] | None:
    """Return the live entries of k keys in some ranges of runs.

    Args:
        levels: Levels of the state.
        hash2: uint64[k], second hash of each key.
        stretches: Runs, newest first. Each has int64[k] starts and int64[k] ends: the range of each key.
        now: Processing time in milliseconds.

    Returns:
        The index of the key of each entry, and the entries. None if there are none.
    """
    parts = []
    for run, start, stop in stretches:
        owner, at = spans(start, stop)
        if not len(owner):
            continue
        mine = run.words[2][at] == hash2[owner]
        part = run.take(at[mine])
        parts.append(Run(part.words, (*part.columns, pa.array(owner[mine])), part.live, part.time, part.tail))
    if not parts:
        return None
    merged = merge(parts, True, levels.expiry(now))
    owners = merged.columns[-1].to_numpy()
    if np.any(owners[1:] < owners[:-1]):  # two keys with equal first hashes: their entries are mixed
        order = stable_order(owners)
        owners, merged = owners[order], merged.take(order)
    return owners, Run(merged.words, merged.columns[:-1])


def spans(start: Index, stop: Index) -> tuple[Index, Index]:
    """Return, for each index in the ranges [start[i], stop[i]), the number i of its range, and the index."""
    lengths = np.maximum(stop - start, 0)
    owner = np.repeat(np.arange(len(start)), lengths)
    first = np.repeat(start - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths)
    return owner, first + np.arange(len(owner))
