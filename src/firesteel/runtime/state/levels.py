"""Levels of the sorted runs of one state, newest first, and their compaction.

A level is a sorted run in pieces. Each piece holds a range of places (runs.py), in ascending order.
Neighboring levels of similar size are merged into one (size-tiered compaction).

A merge is spread over several batches. Each step merges the entries below some place into a piece of the new
level. From then on, the merged levels count only from that place on. So the work of a batch depends on the
rows that it wrote, not on the size of the state or of a key.

Dead entries are dropped when a merge reaches the last level. All levels are merged once half of their entries
are dead: deleted, replaced or expired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from firesteel.runtime.state.merge import merge
from firesteel.runtime.state.runs import END, Run, bounds, find, place, position

FAN_IN = 8
"""Number of levels of similar size that are merged into one."""
UPDATES = 2
"""Factor of the rule by which updates make a merge of all levels pay off.

Let n be the number of entries of the last level. All levels are merged if the levels above it have at least
UPDATES * n entries, and most of these are newer versions of entries of the last level. So if every batch
writes the same entries, the state keeps about three versions of each: one in the last level, UPDATES above
it. Without this rule, it would keep FAN_IN versions.
"""
SAMPLE = 64
"""Number of newer entries that are looked up in the last level, to estimate how many of them replace its
entries (UPDATES).
"""
WORK_PER_ROW = 4
"""Number of rows that a batch merges for each row that it wrote.

Merges of levels of similar size rewrite each row two or three times. Deletions need more work: a tombstone
makes two entries dead, itself and the entry that it hides. So half of all entries are dead once a quarter of
all entries are tombstones. Then all levels are merged, which is a merge of four entries for each tombstone.
"""
WORK_FLOOR = 4096
"""Number of rows that every batch may merge, even if it wrote few rows."""
PIECES = 64
"""Every batch may merge at least 1 / PIECES of the state, even if it wrote few rows.

So a merge takes at most about PIECES batches. Each of these batches makes a piece of the new level, or
several if a piece would be too large (PIECE_ROWS). If a merge took more batches, they could leave a level of
many small pieces, each of which a look-up must visit.
"""
PIECE_ROWS, PIECE_BYTES = 1 << 18, 16 << 20
"""Approximate maximum rows and bytes of one step of a merge, and of a committed piece.

A committed piece is compressed and becomes one value of Spark's state store, where values should not have
more than a few megabytes.
"""
HELD_BYTES = 128 << 20
"""Maximum bytes in memory of the uncommitted runs of a state. Other runs are in files until the commit."""


@dataclass
class Piece:
    """Entries of a run at places from `low` to below `high`. The run may have other entries, too.

    A place is the first two words of an entry as one number (runs.py).

    Attributes:
        rows: Number of entries of the whole run.
        low: First place.
        high: Place after the last one.
        id: Name in the store, None until committed.
        run: The run, None until loaded.
        bytes: Bytes of the run in the store, 0 until committed or if an earlier version wrote it.
        first: First word of the run's first entry, None until committed or if an earlier version wrote it.
        is_spilled: Whether the run is not committed and was moved to a file.
    """

    rows: int
    low: int = 0
    high: int = END
    id: str | None = None
    run: Run | None = None
    bytes: int = 0
    first: int | None = None
    is_spilled: bool = False


Level = list[Piece]


@dataclass
class Merge:
    """A merge in progress.

    Attributes:
        at: Index of the first level to merge.
        count: Number of levels to merge. Their entries go into the level with the index `at` + `count`.
        low: Entries at places below `low` are merged already.
    """

    at: int
    count: int
    low: int = 0


@dataclass
class Levels:
    """Levels and merges of one state, both newest first.

    Attributes:
        load: Function that returns the run of a piece that is not in memory.
        ttl: Time to live in milliseconds, 0 for no expiry.
        levels: The levels.
        merges: The merges in progress.
        now: Processing time of the last batch in milliseconds.
        spill: Function that moves a run from memory to a file and returns the mapped run. None: runs stay in
            memory.
    """

    load: Callable[[Piece], Run]
    ttl: int = 0
    levels: list[Level] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    now: int = 0
    spill: Callable[[Run], Run] | None = None

    def runs(self) -> Iterator[tuple[Piece, Run]]:
        """Yield all pieces with their runs, newest level first."""
        for level in self.levels:
            for piece in level:
                yield piece, self.run(piece)

    def clipped_runs(self) -> Iterator[tuple[Piece, Run]]:
        """Yield all pieces with their runs, cut to the entries between the places `low` and `high`."""
        for piece, run in self.runs():
            yield piece, run.slice(*bounds(run, piece.low, piece.high))

    def run(self, piece: Piece) -> Run:
        """Return the whole run of a piece. Load it if needed."""
        if piece.run is None:
            piece.run = self.load(piece)
        return piece.run

    def held(self) -> int:
        """Return the number of entries of all runs, dead ones too."""
        return sum(piece.rows for level in self.levels for piece in level)

    def entry_bytes(self) -> int:
        """Return the mean number of bytes of an entry in memory, at least 1. This loads all runs."""
        runs = [run for _, run in self.runs()]
        return max(1, sum(run.bytes for run in runs) // max(1, sum(map(len, runs))))

    def expiry(self, now: int) -> int | None:
        """Return the time up to which written entries have expired, None if nothing expires."""
        return now - self.ttl if self.ttl else None

    def add(self, run: Run, now: int) -> None:
        """Add a run as the newest level, then merge some entries: the more rows the run has, the more.

        It merges about WORK_PER_ROW rows for each row of the run, at least WORK_FLOOR rows, and at least
        1 / PIECES of the state. It stops earlier if no merge pays off. `now` is the processing time in
        milliseconds.
        """
        if not len(run):
            return
        self.levels.insert(0, [Piece(len(run), run=run)])
        for task in self.merges:
            task.at += 1
        self.now = now
        self._maintain(len(run))
        self._hold_little()

    def gather_fresh(self, save: Callable[[Piece], None]) -> None:
        """Merge the newest levels that were never committed into one level, and commit its pieces.

        So the commit writes only the newest version of each of their entries.

        Args:
            save: Function that commits a piece. It is called for each piece as soon as it is merged, so that
                only one uncommitted piece is in memory.
        """
        fresh = 0
        for level in self.levels:
            if any(piece.id is not None or piece.low > 0 for piece in level):
                break
            fresh += 1
        if self.merges:
            fresh = min(fresh, self.merges[0].at)
        if fresh < 2:
            return
        task = Merge(0, fresh)
        target = self._start(task)
        while task.low < END:
            self._step(task, sum(map(self._size, self.levels[:fresh])))
            for piece in target:
                if piece.id is None:
                    save(piece)

    def drop_below(self, low: int) -> None:
        """Remove all entries at places below `low`, by cutting or removing pieces."""
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
        """Split pieces that have too many rows and are not committed yet."""
        for level in self.levels:
            level[:] = [part for piece in level for part in self._parts(piece)]

    def _parts(self, piece: Piece) -> Iterator[Piece]:
        if piece.id is not None or piece.run is None or len(piece.run) <= _rows_of_piece([piece.run]):
            yield piece
            return
        run = piece.run.slice(*bounds(piece.run, piece.low, piece.high))
        begin, low, rows = 0, piece.low, _rows_of_piece([run])
        while begin < len(run):
            end = min(begin + rows, len(run))
            if end < len(run):  # entries of one place stay together
                end = position(run, place(run, end - 1) + 1)
            high = piece.high if end == len(run) else place(run, end)
            yield Piece(end - begin, low, high, run=run.slice(begin, end), is_spilled=piece.is_spilled)
            begin, low = end, high

    def _hold_little(self) -> None:
        """Spill uncommitted runs, the oldest first, if they take more than HELD_BYTES of memory."""
        if self.spill is None:
            return
        fresh = [piece for level in reversed(self.levels) for piece in level if piece.id is None]
        here = [(piece, self.run(piece)) for piece in fresh if not piece.is_spilled]
        held = sum(run.bytes for _, run in here)
        if held <= HELD_BYTES:
            return
        for piece, run in here:
            held -= run.bytes
            run = self.spill(run.slice(*bounds(run, piece.low, piece.high)))
            piece.run, piece.rows, piece.is_spilled = run, len(run), True
            if held <= HELD_BYTES // 2:
                return

    def _maintain(self, rows: int) -> None:
        held = self.held()
        work = max(WORK_PER_ROW * rows, WORK_FLOOR, held // PIECES)
        if len(self.levels) > 2 * FAN_IN:  # merges fall behind the writes: work faster
            work *= 2
        while work > 0:
            wanted = self._choose()
            if wanted is not None:
                self._start(wanted)
            if not self.merges:
                return
            work -= self._step(self.merges[0], work)

    def _choose(self) -> Merge | None:
        """Return the merge to begin next, of the newest levels. None if no new merge pays off."""
        if not self.merges and self._worn():
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
        """Return whether so many entries are dead that a merge of all levels pays off.

        It pays off in three cases. The last two need at least two levels.

        - By an estimate, more than half of all entries have expired.
        - More than half of all entries are tombstones, entries that tombstones hide, or entries outside of
          the bounds of their piece, which have been dropped or merged into another piece.
        - Most entries of the newer levels replace entries of the last level (`_updated`).
        """
        pieces = [piece for level in self.levels for piece in level]
        held, expiry = self.held(), self.expiry(self.now)
        if expiry is not None and 2 * sum(self.run(piece).expired(expiry) for piece in pieces) > held:
            return True
        if len(self.levels) < 2:  # the last level has no tombstones
            return False
        cut_off = held - sum(map(self._size, self.levels))
        hidden = 2 * sum(self.run(piece).tombstones for piece in pieces)
        return 2 * (cut_off + hidden) > held or self._updated()

    def _updated(self) -> bool:
        """Return whether the levels above the last level mostly have newer versions of its entries.

        They must have at least UPDATES times as many entries as the last level. In a sample from the largest
        of them, more than half of the entries must also be in the last level.
        """
        *newer, last = [sum(piece.rows for piece in level) for level in self.levels]
        if sum(newer) < UPDATES * last:
            return False
        largest = self.levels[newer.index(max(newer))][0]
        sample = self.run(largest)
        sample = sample.take(np.linspace(0, len(sample) - 1, min(SAMPLE, len(sample))).astype(np.int64))
        known = sum(len(find(self.run(piece), sample)[0]) for piece in self.levels[-1])
        return 2 * known > len(sample)

    def _start(self, task: Merge) -> Level:
        """Begin a merge. Return the new, empty level that gets its entries."""
        target: Level = []
        self.levels.insert(task.at + task.count, target)
        for other in self.merges:
            other.at += 1
        self.merges.insert(0, task)
        return target

    def _step(self, task: Merge, work: int) -> int:
        """Merge about `work` rows, at most as many as a piece may have. Return the number of merged rows.

        If no row of the merge is left, finish the merge.
        """
        sources = self.levels[task.at : task.at + task.count]
        target = self.levels[task.at + task.count]
        rows = sum(map(self._size, sources))
        work = min(work, _rows_of_piece([self.run(piece) for level in sources for piece in level]))
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
        """Return a place below which about the fraction `part` of the entries of `sources` lies.

        It is estimated from the largest level.
        """
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
        """Return the number of entries of a level within the bounds of its pieces, dead ones too."""
        spans = (bounds(self.run(piece), piece.low, piece.high) for piece in level)
        return sum(stop - start for start, stop in spans)

    def _finish(self, task: Merge) -> None:
        end = task.at + task.count
        gone = task.count if self.levels[end] else task.count + 1
        del self.levels[task.at : task.at + gone]
        self.merges.remove(task)
        for other in self.merges:
            other.at -= gone


def _rows_of_piece(runs: Sequence[Run]) -> int:
    """Return how many entries a piece may have, at most PIECE_ROWS and about PIECE_BYTES.

    Entries are assumed to be as large as those of these runs.
    """
    rows, size = sum(map(len, runs)), sum(run.bytes for run in runs)
    return max(1, min(PIECE_ROWS, PIECE_BYTES * rows // size)) if size else PIECE_ROWS


def _trim(level: Level, low: int) -> None:
    """Remove the entries of a level at places below `low`."""
    level[:] = [piece for piece in level if piece.high > low]
    for piece in level:
        piece.low = max(piece.low, low)
