"""The sorted runs of one state, newest first, and when they are merged.

A level is a sorted run in pieces: each piece holds a range of places (runs.py), in ascending order. Levels
of like size that lie next to each other are merged into one (size-tiered compaction). A merge is spread
over batches: a step merges the entries below some place into a piece of the new level, and the merged
levels count only from there on. So a batch's work follows the rows it wrote, whatever lies below, and
however many entries one key has. What is dead is dropped where a merge reaches the last level; all levels
are merged once half of what they hold is dead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from firesteel.runtime.state.merge import merge
from firesteel.runtime.state.runs import END, Run, bounds, find, place, position

FAN_IN = 8
"""So many levels of like size are merged into one."""
UPDATES = 2
"""All levels are merged when those above the last have so many times its entries and are newer versions of
them: three versions are kept of what every batch writes, and not FAN_IN."""
SAMPLE = 64
"""So many entries are looked up to know that."""
WORK_PER_ROW = 4
"""A batch merges so many rows for each that it wrote: each row is rewritten two or three times, and where a
batch's tombstones make half of a state dead, it has all of it merged."""
WORK_FLOOR = 4096
"""A batch may merge so many rows anyhow, and this part of the state: levels have few pieces."""
PIECES = 64
PIECE_ROWS = 1 << 18
"""About how many rows a committed piece has at most: a store's values are of some megabytes."""


@dataclass
class Piece:
    """Entries of a run whose places are in [low, high).

    run: the entries, None until loaded. id: its name in the store, None until committed. rows: what
    the whole run holds.
    """

    rows: int
    low: int = 0
    high: int = END
    id: str | None = None
    run: Run | None = None


Level = list[Piece]


@dataclass
class Merge:
    """A merge under way: levels [at, at + count) go into the level that follows them; places below
    `low` are there already."""

    at: int
    count: int
    low: int = 0


@dataclass
class Levels:
    """The levels of one state and the merges under way, the newest of both first.

    load: gives the run of a piece that is not in memory. ttl: milliseconds, 0 for ever. now: the time
    of the last batch.
    """

    load: Callable[[Piece], Run]
    ttl: int = 0
    levels: list[Level] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    now: int = 0

    def runs(self) -> Iterator[tuple[Piece, Run]]:
        """All pieces with their runs, newest level first."""
        for level in self.levels:
            for piece in level:
                yield piece, self.run(piece)

    def clipped_runs(self) -> Iterator[tuple[Piece, Run]]:
        """As `runs`, only the entries that count."""
        for piece, run in self.runs():
            yield piece, run.slice(*bounds(run, piece.low, piece.high))

    def run(self, piece: Piece) -> Run:
        """The whole run of a piece."""
        if piece.run is None:
            piece.run = self.load(piece)
        return piece.run

    def expiry(self, now: int) -> int | None:
        """What was written at this time or before is gone; None: nothing goes."""
        return now - self.ttl if self.ttl else None

    def add(self, run: Run, now: int) -> None:
        """Add the newest run, then merge as much as its size allows."""
        if not len(run):
            return
        self.levels.insert(0, [Piece(len(run), run=run)])
        for task in self.merges:
            task.at += 1
        self.now = now
        self._maintain(len(run))

    def gather_fresh(self) -> None:
        """Merge the newest levels that were never committed, so that only their net change is written."""
        fresh = 0
        for level in self.levels:
            if any(piece.id is not None or piece.low > 0 for piece in level):
                break
            fresh += 1
        if self.merges:
            fresh = min(fresh, self.merges[0].at)
        if fresh > 1:
            self._start(Merge(0, fresh))
            self._step(self.merges[0], sum(map(self._size, self.levels[:fresh])))

    def drop_below(self, low: int) -> None:
        """Forget all entries at places below `low`: pieces are cut, or go where nothing is left of them."""
        for level in self.levels:
            _trim(level, low)
            level[:] = [piece for piece in level if self._size([piece])]
        merging = {i for task in self.merges for i in range(task.at, task.at + task.count + 1)}
        for i in reversed(range(len(self.levels))):
            if not self.levels[i] and i not in merging:
                del self.levels[i]
                for task in self.merges:
                    task.at -= task.at > i

    def split(self) -> None:
        """Split pieces that are to be committed and have too many rows."""
        for level in self.levels:
            level[:] = [part for piece in level for part in self._parts(piece)]

    def _parts(self, piece: Piece) -> Iterator[Piece]:
        if piece.id is not None or piece.run is None or len(piece.run) <= PIECE_ROWS:
            yield piece
            return
        run = piece.run.slice(*bounds(piece.run, piece.low, piece.high))
        begin, low = 0, piece.low
        while begin < len(run):
            end = min(begin + PIECE_ROWS, len(run))
            if end < len(run):  # entries of one place stay together
                end = position(run, place(run, end - 1) + 1)
            high = piece.high if end == len(run) else place(run, end)
            yield Piece(end - begin, low, high, run=run.slice(begin, end))
            begin, low = end, high

    def _maintain(self, rows: int) -> None:
        held = sum(piece.rows for level in self.levels for piece in level)
        work = max(WORK_PER_ROW * rows, WORK_FLOOR, held // PIECES)
        if len(self.levels) > 2 * FAN_IN:  # behind
            work *= 2
        while work > 0:
            wanted = self._choose()
            if wanted is not None:
                self._start(wanted)
            if not self.merges:
                return
            work -= self._step(self.merges[0], work)

    def _choose(self) -> Merge | None:
        """The newest levels that are worth a merge, above those that are being merged already."""
        if not self.merges and len(self.levels) > 1 and self._worn():
            return Merge(0, len(self.levels))
        free = self.merges[0].at if self.merges else len(self.levels)
        total, best = 0, 0
        for count, level in enumerate(self.levels[:free], 1):
            rows = self._size(level)
            if count > 1 and rows <= total and count >= FAN_IN:
                best = count
            total += rows
        return Merge(0, best) if best else None

    def _worn(self) -> bool:
        """Whether half of all entries is dead: cut off, tombstones and what they hide, or old versions."""
        pieces = [piece for level in self.levels for piece in level]
        held = sum(piece.rows for piece in pieces)
        cut_off = held - sum(map(self._size, self.levels))
        hidden = 2 * sum(self.run(piece).tombstones for piece in pieces)
        return 2 * (cut_off + hidden) > held or self._updated()

    def _updated(self) -> bool:
        """Whether the levels above the last are some times as large, and versions of its entries."""
        *newer, last = [sum(piece.rows for piece in level) for level in self.levels]
        if sum(newer) < UPDATES * last:
            return False
        largest = self.levels[newer.index(max(newer))][0]
        sample = self.run(largest)
        sample = sample.take(np.linspace(0, len(sample) - 1, min(SAMPLE, len(sample))).astype(np.int64))
        known = sum(len(find(self.run(piece), sample)[0]) for piece in self.levels[-1])
        return 2 * known > len(sample)

    def _start(self, task: Merge) -> None:
        self.levels.insert(task.at + task.count, [])
        for other in self.merges:
            other.at += 1
        self.merges.insert(0, task)

    def _step(self, task: Merge, work: int) -> int:
        """Merge about `work` rows of a task, and finish it where none are left; the rows merged."""
        sources = self.levels[task.at : task.at + task.count]
        target = self.levels[task.at + task.count]
        rows = sum(map(self._size, sources))
        high = END if rows <= work else self._bound(sources, work / rows)
        bottom = task.at + task.count + 1 == len(self.levels)
        runs = [run for level in sources for run in self._between(level, task.low, high)]
        if runs:
            merged = merge(runs, bottom, self.expiry(self.now))
            if len(merged):
                target.append(Piece(len(merged), task.low, high, run=merged))
        for level in sources:
            _trim(level, high)
        task.low = high
        if high == END:
            self._finish(task)
        return max(1, sum(map(len, runs)))

    def _bound(self, sources: list[Level], part: float) -> int:
        """Below which place about this part of the sources' entries lies: as of the largest of them."""
        largest = max(sources, key=self._size)
        left = int(self._size(largest) * part)
        for piece in largest:
            run = self.run(piece)
            start, stop = bounds(run, piece.low, piece.high)
            if left < stop - start:
                return place(run, start + left) + 1
            left -= stop - start
        return END

    def _between(self, level: Level, low: int, high: int) -> list[Run]:
        parts = []
        for piece in level:
            run = self.run(piece)
            start, stop = bounds(run, max(low, piece.low), min(high, piece.high))
            if start < stop:
                parts.append(run.slice(start, stop))
        return parts

    def _size(self, level: Level) -> int:
        """How many entries of a level count."""
        spans = (bounds(self.run(piece), piece.low, piece.high) for piece in level)
        return sum(stop - start for start, stop in spans)

    def _finish(self, task: Merge) -> None:
        end = task.at + task.count
        gone = task.count if self.levels[end] else task.count + 1
        del self.levels[task.at : task.at + gone]
        self.merges.remove(task)
        for other in self.merges:
            other.at -= gone


def _trim(level: Level, low: int) -> None:
    """Drop what lies below `low`."""
    level[:] = [piece for piece in level if piece.high > low]
    for piece in level:
        piece.low = max(piece.low, low)
