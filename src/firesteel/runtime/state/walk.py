"""The first live entries of many keys at once, out of all levels of an ordered map.

From each level so many entries are read as are still wanted, and merged. They are certain as far as every
level has been read: up to the last entry of the first level that has more. Where tombstones leave too few,
the next round reads on from there, more at a time. So the cost follows what is asked for and what is dead
before it, not what the keys have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from firesteel.kernels.column_hashes import U64
from firesteel.runtime.state.look_up import spans
from firesteel.runtime.state.merge import concat, first_of_each
from firesteel.runtime.state.runs import Index, Mask, Run
from firesteel.runtime.state.sort import run_order

_FASTER = 4
"""Each round reads so many times as many entries as the one before."""
_LEAST = 8
_ALL = 1 << 40


@dataclass
class Stretch:
    """Of m keys, the entries [low, high) of a run that are still to be read; int64[m] each."""

    run: Run
    low: Index
    high: Index


class Walk:
    """stretches: of all runs, newest first. hash2: U64[m], of the keys. counts: int64[m], how many
    entries each wants. backwards: from the last entry down. expiry: as of Levels."""

    def __init__(
        self, stretches: list[Stretch], hash2: U64, counts: Index, backwards: bool, expiry: int | None
    ) -> None:
        self._stretches = [each for each in stretches if np.any(each.low < each.high)]
        self._hash2, self._backwards, self._expiry = hash2, backwards, expiry
        self._wanted = counts.copy()
        self._size = counts
        self._found: list[tuple[Index, Run]] = []

    def run(self) -> tuple[Index, Run] | None:
        """The entries, by key, in the order of the walk, and the key that each belongs to; None where there
        are none."""
        while self._round():
            self._size = np.where(self._wanted > 0, np.maximum(self._size * _FASTER, _LEAST), 0)
        if not self._found:
            return None
        if len(self._found) == 1:
            return self._found[0]
        owners = np.concatenate([owners for owners, _ in self._found])
        found = concat([run for _, run in self._found])
        order = np.argsort(owners, kind="stable")
        return owners[order], found.take(order)

    def _round(self) -> bool:
        """Read and take what is certain; whether anything is left to read."""
        parts, owners, sources, ends = self._read()
        if not parts:
            return False
        read = concat(parts)
        own = Run((owners.astype(np.uint64), *read.words[1:]), read.columns, read.live, read.time, read.tail)
        order = run_order(own)
        first = first_of_each(own, order)
        if not own.tail and np.any(read.words[2] != self._hash2[owners]):
            # Keys that share the first hash: their entries with one order word stand anyhow.
            if np.any(ends):
                self._size = np.where(self._wanted > 0, _ALL, 0)
                return True
            order = np.lexsort((own.words[2], own.words[1], own.words[0])).astype(np.int64)
            first = first_of_each(own, order)
        starts = np.flatnonzero(first)
        newest, end = order[starts], np.logical_or.reduceat(ends[order], starts)
        certain = self._certain(owners[newest], end)
        live = certain & read.there(newest, self._expiry) & (read.words[2] == self._hash2[owners])[newest]
        self._take(read, owners, newest[::-1] if self._backwards else newest,
                   live[::-1] if self._backwards else live)  # fmt: skip
        done = order[np.repeat(certain, np.diff(starts, append=len(order)))]
        self._advance(owners[done], sources[done])
        return bool(np.any(ends))

    def _read(self) -> tuple[list[Run], Index, Index, Mask]:
        """The next entries of each stretch; for each entry its key, its stretch, and whether it is the last
        that was read where there are more."""
        parts, owners, sources, ends = [], [], [], []
        for number, each in enumerate(self._stretches):
            if self._backwards:
                low, high = np.maximum(each.low, each.high - self._size), each.high
            else:
                low, high = each.low, np.minimum(each.high, each.low + self._size)
            owner, at = spans(low, high)
            if not len(owner):
                continue
            more = low > each.low if self._backwards else high < each.high
            last = low if self._backwards else high - 1
            parts.append(each.run.take(at))
            owners.append(owner)
            sources.append(np.full(len(owner), number))
            ends.append(more[owner] & (at == last[owner]))
        if not parts:
            return [], np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.bool_)
        return parts, np.concatenate(owners), np.concatenate(sources), np.concatenate(ends)

    def _certain(self, owners: Index, end: Mask) -> Mask:
        """Entries (by key, ascending) that no level can have another before: those up to the first `end`
        of their key, in the direction of the walk."""
        if self._backwards:
            return _ranks(owners[::-1], end[::-1])[::-1] <= end
        return _ranks(owners, end) <= end

    def _take(self, read: Run, owners: Index, newest: Index, live: Mask) -> None:
        """Keep the entries that are live, as many as are wanted. newest: in the order of the walk."""
        owner = owners[newest]
        keep = live & (_ranks(owner, live) <= self._wanted[owner])
        at = newest[keep]
        if len(at):
            if self._backwards:
                at = at[np.argsort(owners[at], kind="stable")]
            self._found.append((owners[at], read.take(at)))
            self._wanted -= np.bincount(owners[at], minlength=len(self._wanted))

    def _advance(self, owners: Index, sources: Index) -> None:
        for number, each in enumerate(self._stretches):
            read = np.bincount(owners[sources == number], minlength=len(each.low))
            if self._backwards:
                each.high = each.high - read
            else:
                each.low = each.low + read


def _ranks(owners: Index, marked: Mask) -> Index:
    """How many entries are marked up to and with each one of its key. owners: keys in stretches."""
    total = np.cumsum(marked)
    new = np.ones(len(owners), np.bool_)
    new[1:] = owners[1:] != owners[:-1]
    starts = np.flatnonzero(new)
    base: Index = total[starts] - marked[starts]
    return total - np.repeat(base, np.diff(starts, append=len(owners)))
