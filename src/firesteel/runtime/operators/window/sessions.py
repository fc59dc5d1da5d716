"""Assignment of rows to sessions: rows of a key that are no further apart than the gap share one session.

Flink: SessionWindowAssigner, MergingWindowSet, MergingWindowProcessFunction. A row opens [time, time + gap),
or joins the sessions that this range touches, ends included, and merges them. A row is late, and dropped, if
its session would have fired already. A session fires when the watermark reaches its last millisecond. Then no
later row can join it.

In columns, all rows and open sessions of a key are sorted by time. They are divided into groups: a group
begins at a row or session that is further than the gap from all earlier ones of the key. Usually, a group
becomes one session. It becomes several if some of its rows make a session that fires before the other rows
have come. A row alone would be a session that ends at its time plus the gap. The group is certainly one
session if two conditions hold for these sessions of single rows:

- The session of each row fires only after the next row by time has come.
- The session that ends last fires only after all rows of the group have come.

Otherwise, the rows of the group are assigned to sessions one by one, in arrival order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.aggregate.scan.segments import accumulate
from firesteel.runtime.columns.sorting import stable_order, stable_order_by, stable_pair_order
from firesteel.runtime.operators.window.zones import to_timers

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]

LATE = -1
_NEVER = np.int64(-(1 << 63))


@dataclass(frozen=True)
class Arrivals:
    """n rows in arrival order.

    Attributes:
        owners: int64[n], index of each row's key.
        times: int64[n], milliseconds of the windows' time zone.
        watermarks: int64[n], watermark when each row came.
    """

    owners: Index
    times: Index
    watermarks: Index


@dataclass(frozen=True)
class OpenSessions:
    """m sessions that have not fired.

    Attributes:
        owners: int64[m], index of each session's key.
        starts: int64[m], start of each session in milliseconds of the windows' time zone.
        ends: int64[m], end of each session, likewise.
    """

    owners: Index
    starts: Index
    ends: Index

    def take(self, at: Index) -> OpenSessions:
        """Return the sessions at the given positions."""
        return OpenSessions(self.owners[at], self.starts[at], self.ends[at])


@dataclass(frozen=True)
class Sessions:
    """s sessions, made of n rows and m sessions that were open before.

    Attributes:
        owners: int64[s], index of each session's key.
        starts: int64[s], start of each session in milliseconds of the windows' time zone.
        ends: int64[s], end of each session, likewise.
        timers: int64[s], when each session fires.
        of_rows: int64[n], index of each row's session, LATE for a dropped row.
        of_open: int64[m], index of the session that each open session has become part of.
    """

    owners: Index
    starts: Index
    ends: Index
    timers: Index
    of_rows: Index
    of_open: Index


def assign(rows: Arrivals, known: OpenSessions, gap: int, zone: str = "UTC") -> Sessions:
    """Return the sessions after rows were added to the open sessions of their keys.

    Args:
        rows: New rows.
        known: Open sessions of the same keys.
        gap: Gap that ends a session, in milliseconds.
        zone: Time zone of the windows.
    """
    line = _Line(rows, known, gap, zone)
    return line.sessions(line.labels())


def attached(rows: Arrivals, ends: Index, known: OpenSessions, zone: str = "UTC") -> Sessions:
    """Return the sessions that the window columns of rows contain, and the open sessions.

    Rows with equal keys, starts and ends share a session. Sessions that overlap are not merged.

    Args:
        rows: New rows, with the starts of their sessions as times.
        ends: int64[n], ends of their sessions.
        known: Open sessions of the same keys.
        zone: Time zone of the windows.
    """
    owners = np.concatenate([rows.owners, known.owners])
    starts = np.concatenate([rows.times, known.starts])
    ends = np.concatenate([ends, known.ends])
    watermarks = np.concatenate([rows.watermarks, np.full(len(known.starts), _NEVER)])
    timers = to_timers(ends - 1, zone)
    there = np.flatnonzero(timers > watermarks)
    order = there[stable_order_by(owners[there], starts[there], ends[there])]
    new = np.zeros(len(order), np.bool_)
    for values in (owners, starts, ends):
        ordered = values[order]
        new |= np.diff(ordered, prepend=ordered[:1] - 1) != 0
    numbers, firsts = np.full(len(owners), LATE), order[np.flatnonzero(new)]
    numbers[order] = np.cumsum(new) - 1
    rest = numbers[: len(rows.owners)], numbers[len(rows.owners) :]
    return Sessions(owners[firsts], starts[firsts], ends[firsts], timers[firsts], *rest)


class _Line:
    """Rows, starts of open sessions and ends of open sessions: e elements, sorted by key and time.

    Each element covers a range of time. A row covers the gap after its time, the start of an open session
    covers the session, and the end of an open session covers the gap before it. The elements of a key are
    divided into groups. A group begins with an element whose range is after those of all earlier elements.
    """

    def __init__(self, rows: Arrivals, known: OpenSessions, gap: int, zone: str) -> None:
        self._rows, self._open = len(rows.times), len(known.starts)
        owners = np.concatenate([rows.owners, known.owners, known.owners])
        starts = np.concatenate([rows.times, known.starts, known.ends - gap])
        ends = np.concatenate([rows.times + gap, known.ends, known.ends])
        watermarks = np.concatenate([rows.watermarks, np.full(2 * self._open, _NEVER)])
        self._by = by = stable_pair_order(owners, starts)
        self._owners, self._starts, self._ends, self._watermarks = (
            owners[by],
            starts[by],
            ends[by],
            watermarks[by],
        )
        self._came = np.where(by < self._rows, by, -1)
        self._timers = to_timers(self._ends - 1, zone)
        self._groups = np.flatnonzero(self._begins())

    def _begins(self) -> Mask:
        """Return which elements begin a group, bool[e]. Elements are rows, starts and ends of open sessions.

        An element begins a group if it is the first of its key, or if its range of time (`_Line`) is after
        the ranges of all earlier elements of the key.
        """
        begins = np.ones(len(self._by), np.bool_)
        np.not_equal(self._owners[1:], self._owners[:-1], out=begins[1:])
        reach = self._ends
        if self._open:
            firsts = np.flatnonzero(begins)
            reach = accumulate(np.maximum, self._ends, firsts, self._ends[firsts])
        begins[1:] |= self._starts[1:] > reach[:-1]
        return begins

    def labels(self) -> Index:
        """Return the number of the session of each element, int64[e], LATE for a dropped row.

        Elements are rows, and the starts and ends of open sessions. Not all numbers need to be used.
        """
        if not len(self._by):
            return np.zeros(0, np.int64)
        sizes = np.diff(self._groups, append=len(self._by))
        labels = np.repeat(np.arange(len(sizes)), sizes)
        broken = self._broken(labels)
        if not broken.any():
            return labels
        labels[broken[labels] & (sizes[labels] == 1)] = LATE
        used = len(sizes)
        for group in np.flatnonzero(broken & (sizes > 1)).tolist():
            start = int(self._groups[group])
            used = self._one_by_one(start, start + int(sizes[group]), labels, used)
        return labels

    def _broken(self, groups: Index) -> Mask:
        """Return for each group whether a session may fire before all rows of the group have come, bool[g].

        A group has the rows and open sessions of a key that become one session if none fires too early.

        `groups`: int64[e], group number of each element (a row, or the start or end of an open session),
        sorted by key and time.
        """
        waits = (groups[1:] == groups[:-1]) & (self._came[1:] > self._came[:-1])
        fires = waits & (self._timers[:-1] <= self._watermarks[1:])
        if self._open:
            fires &= ~self._within_open()[:-1]
        broken = np.zeros(len(self._groups), np.bool_)
        broken[groups[:-1][fires]] = True
        last = np.append(self._groups[1:], len(self._by)) - 1
        broken |= self._timers[last] <= np.maximum.reduceat(self._watermarks, self._groups)
        return broken

    def _within_open(self) -> Mask:
        """Return whether each element begins and ends within an open session, bool[e].

        Elements are rows, and the starts and ends of open sessions. A row ends at its time plus the gap. A
        row within an open session joins the session without changing its end, so it does not change when the
        session fires. For the end of an open session, the result is False.
        """
        is_end = self._by >= self._rows + self._open
        is_open = self._by >= self._rows
        reach = np.where(is_open, self._ends, _NEVER)
        reach = accumulate(np.maximum, reach, self._groups, reach[self._groups])
        within: Mask = ~is_end & (reach >= self._ends)
        return within

    def _one_by_one(self, start: int, end: int, labels: Index, used: int) -> int:
        """Assign the elements of one group to sessions one by one, in arrival order.

        Args:
            start: Position of the group's first element: a row, or the start or end of an open session.
            end: Position after the group's last element.
            labels: int64[e], session number of each element, LATE for a dropped row. Set for the group.
            used: First free session number.

        Returns:
            The first session number that is still free.
        """
        place = slice(start, end)
        order = (np.argsort(self._came[place], kind="stable") + start).tolist()
        live: list[_Session] = []
        for at in order:
            live = [each for each in live if each.timer > self._watermarks[at]]
            mine = _Session(int(self._starts[at]), int(self._ends[at]), int(self._timers[at]), [at])
            touched = [each for each in live if each.start <= mine.end and each.end >= mine.start]
            if not touched and mine.timer <= self._watermarks[at]:
                labels[at] = LATE
                continue
            for each in touched:
                mine.take(each)
            live = [each for each in live if each not in touched]
            live.append(mine)
            labels[mine.members] = used
            used += 1
        return used

    def sessions(self, labels: Index) -> Sessions:
        """Return the sessions, each made of the elements with the same label.

        `labels`: int64[e], session number of each element (a row, or the start or end of an open session),
        sorted by key and time. LATE for a dropped row, which is in no session.
        """
        kept = np.flatnonzero(labels >= 0)
        order = kept[stable_order(labels[kept])] if len(kept) < len(labels) or not _sorted(labels) else kept
        firsts = np.flatnonzero(np.diff(labels[order], prepend=LATE))
        numbers = np.full(len(labels), LATE)
        numbers[order] = np.repeat(np.arange(len(firsts)), np.diff(firsts, append=len(order)))
        by_element = np.empty(len(labels), np.int64)
        by_element[self._by] = numbers

        def reduced(ufunc: np.ufunc, values: Index) -> Index:
            return ufunc.reduceat(values[order], firsts) if len(firsts) else np.zeros(0, np.int64)

        return Sessions(
            reduced(np.maximum, self._owners),
            reduced(np.minimum, self._starts),
            reduced(np.maximum, self._ends),
            reduced(np.maximum, self._timers),
            by_element[: self._rows],
            by_element[self._rows :][: self._open],
        )


@dataclass(eq=False)
class _Session:
    start: int
    end: int
    timer: int
    members: list[int]

    def take(self, other: _Session) -> None:
        """Merge another session into this one."""
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        self.timer = max(self.timer, other.timer)
        self.members += other.members


def _sorted(labels: Index) -> bool:
    return bool(np.all(labels[1:] >= labels[:-1]))
