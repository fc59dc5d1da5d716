"""First live entries of many keys at once, from all levels of an ordered map.

Each round reads as many entries from each level as are still wanted, and merges them. A merged entry is
certain if no unread entry can precede it. If too few entries are certain and live, the next round reads on,
more at a time. So the cost depends on the entries requested and the dead ones before them, not on the size of
the keys.
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
"""Factor by which each round reads more entries than the one before."""
_LEAST = 8
_ALL = 1 << 40


@dataclass
class Stretch:
    """Entries [low, high) of a run that are still to be read, for each of m keys.

    Attributes:
        run: The run.
        low: int64[m], position of the first entry.
        high: int64[m], position after the last entry.
    """

    run: Run
    low: Index
    high: Index


class Walk:
    """One read of the first or last entries of m keys.

    Args:
        stretches: Entries of all runs, newest run first.
        hash2: uint64[m], second hash of each key.
        counts: int64[m], number of entries wanted of each key.
        backwards: Whether to read from the last entry down.
        expiry: A time in milliseconds. Entries that were written at this time or earlier have expired, and
            are not returned. None if no entry expires.
    """

    def __init__(
        self, stretches: list[Stretch], hash2: U64, counts: Index, backwards: bool, expiry: int | None
    ) -> None:
        self._stretches = [each for each in stretches if np.any(each.low < each.high)]
        self._hash2, self._backwards, self._expiry = hash2, backwards, expiry
        self._wanted = counts.copy()
        self._size = counts
        self._found: list[tuple[Index, Run]] = []

    def run(self) -> tuple[Index, Run] | None:
        """Return the index of each entry's key among the m keys, and the entries. None if there are none.

        The entries are sorted by key, and within a key in the direction of the walk.
        """
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
        """Read the next entries of each key, and keep those that no unread entry can precede (`_certain`).

        Return whether another round is needed: some key of this round has entries that are still unread.
        """
        parts, owners, sources, ends = self._read()
        if not parts:
            return False
        read = concat(parts)
        own = Run((owners.astype(np.uint64), *read.words[1:]), read.columns, read.live, read.time, read.tail)
        order = run_order(own)
        first = first_of_each(own, order)
        if not own.tail and np.any(read.words[2] != self._hash2[owners]):
            # An entry that was read has another key, with an equal first hash. So its stretch has the
            # entries of both keys. Runs are sorted by first hash and order word only. So entries of both keys
            # with equal order words may be mixed, and versions of an entry need not be adjacent. So all
            # entries are read, if need be in the next round, and then sorted by hash2, too.
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
        """Read the next entries of each stretch.

        Returns:
            The entries, one run for each stretch that has some. Then for each entry its key, the number of
            its stretch, and whether the stretch has unread entries of the key, right after this entry.
        """
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
        """Return which entries no unread entry can precede, in the direction of the walk, bool[n].

        The unread entries of a stretch come after its last read entry, which `end` marks. So an entry is
        certain if no marked entry of its key comes before it. A marked entry may be certain itself:

            entries of a key   a  b  c  d  e
            end                      x     x
            certain            x  x  x

        Args:
            owners: int64[n], key of each entry.
            end: bool[n], whether each entry is the last one read of a stretch that has unread entries.
        """
        if self._backwards:
            return _ranks(owners[::-1], end[::-1])[::-1] <= end
        return _ranks(owners, end) <= end

    def _take(self, read: Run, owners: Index, newest: Index, live: Mask) -> None:
        """Add live entries to the result, as many as are still wanted of each key.

        `read`: entries of this round. `owners`: key of each. `newest`: positions in `read` of the newest
        version of each entry, in the direction of the walk. `live`: which of these are live and certain.
        """
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
    """Return, for each entry, how many entries of its key up to and including it are marked, int64[n].

    Args:
        owners: int64[n], key of each entry. The entries of a key are adjacent.
        marked: bool[n], whether each entry is marked.
    """
    total = np.cumsum(marked)
    new = np.ones(len(owners), np.bool_)
    new[1:] = owners[1:] != owners[:-1]
    starts = np.flatnonzero(new)
    base: Index = total[starts] - marked[starts]
    return total - np.repeat(base, np.diff(starts, append=len(owners)))
