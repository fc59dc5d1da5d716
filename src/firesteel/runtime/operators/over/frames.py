"""Bounded frames as a stream of rows that enter and leave them, for each partition.

Before a row enters, the rows that its frame does not contain leave. In a RANGE frame, all rows with the same
time (peers) enter together. Flink adds and removes rows in the same order, so floating point sums have the
same digits (RowTimeRangeBoundedPrecedingFunction and its three siblings).

Each row enters when its result is computed: by row time when a watermark passes the row, by processing time
when the row comes or the clock advances. The row **fires** then.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from firesteel.changelog import RowKind
from firesteel.runtime.columns.sorting import stable_order
from firesteel.runtime.operators.over.rows import Index

_ROOM = 1 << 62


@dataclass(frozen=True)
class Events:
    """m changes of frames: rows that enter or leave the frame of a partition.

    The changes of one partition are in order.

    Attributes:
        rows: int64[m], position of each change's row among all rows.
        kinds: int64[m], INSERT if the row enters, DELETE if it leaves.
        results: int64[n], for each row that fires (gets its result now), position of the change after which
            this result is taken.
        leaving: int64[k], positions of the rows that leave the frame of their partition.

    Example:
        ROWS 1 PRECEDING over the rows 0, 1, 2, all of which fire: the changes are +0, +1, -0, +2, and
            results=[0, 1, 3].
    """

    rows: Index
    kinds: Index
    results: Index
    leaving: Index


def by_count(partitions: Index, fires: Index, preceding: int) -> Events:
    """Return the rows that enter and leave ROWS frames.

    Args:
        partitions: int64[r], partition of each row, ascending. In each partition, the rows that are already
            in the frame come first, then the rows that fire, in the order of their results.
        fires: int64[n], positions of the rows that fire: they enter and get their results now.
        preceding: Number of preceding rows in a frame.
    """
    starts = np.searchsorted(partitions, partitions[fires], side="left")
    out = fires - preceding - 1
    leaves = out >= starts
    taken_back = out[leaves]
    order = stable_order(np.concatenate([fires[leaves] * 2, fires * 2 + 1]))
    rows = np.concatenate([taken_back, fires])[order]
    kinds = np.concatenate([_kinds(RowKind.DELETE, taken_back), _kinds(RowKind.INSERT, fires)])[order]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return Events(rows, kinds, place[len(taken_back) :], taken_back)


def by_time(partitions: Index, times: Index, fires: Index, preceding: int) -> Events:
    """Return the rows that enter and leave RANGE frames.

    Args:
        partitions: int64[r], partition of each row, ascending. In each partition, the rows that are already
            in the frame come first, then the rows that fire, in the order of their results.
        times: int64[r], time of each row, ascending in each partition.
        fires: int64[n], positions of the rows that fire: they enter and get their results now.
        preceding: Size of a frame in milliseconds.
    """
    group_of, groups = _peers(partitions[fires], times[fires])
    heads = fires[groups]
    first = _first_without(partitions, times, heads, preceding)
    leaves = first < len(heads)
    leaves[leaves] = partitions[heads[first[leaves]]] == partitions[leaves]
    taken_back = np.flatnonzero(leaves)
    order = stable_order(np.concatenate([first[taken_back] * 2, group_of * 2 + 1]))
    rows = np.concatenate([taken_back, fires])[order]
    kinds = np.concatenate([_kinds(RowKind.DELETE, taken_back), _kinds(RowKind.INSERT, fires)])[order]
    group = np.concatenate([first[taken_back], group_of])[order]
    return Events(rows, kinds, _last_of(group, len(heads))[group_of], taken_back)


def _first_without(partitions: Index, times: Index, heads: Index, preceding: int) -> Index:
    """Return, for each row, the number of the first frame that begins after the row.

    Only rows that fire (get their results now) have a frame. Those of one partition and one time share it. It
    begins `preceding` milliseconds before that time. Frames are numbered by partition, then by time.

    Args:
        partitions: Each row's partition number; in ascending order.
        times: Each row's time in milliseconds; ascending within a partition.
        heads: For each frame, the position of the first row that has this frame.
        preceding: Length of a frame in milliseconds.

    Returns:
        One frame number a row. If no frame of the row's partition begins after the row, a number beyond that
        of the partition's last frame.
    """
    least = int(times.min(initial=0))
    span = int(times.max(initial=0)) - least + 1
    if (int(partitions.max(initial=0)) + 1) * span < _ROOM:  # Pairs of partition and time become one number.
        firing = partitions[heads] * span + (times[heads] - least)
        last = np.minimum(times - least + min(preceding, span), span - 1)
        return np.searchsorted(firing, partitions * span + last, side="right")
    moments = np.unique(times[heads])
    span = len(moments) + 1
    firing = partitions[heads] * span + np.searchsorted(moments, times[heads])
    too_old = np.searchsorted(moments, times + preceding, side="right")
    return np.searchsorted(firing, partitions * span + too_old)


def running(partitions: Index, times: Index, peers: bool) -> Events:
    """Return the rows that enter unbounded frames: all rows. All get their results now, and none leaves.

    Args:
        partitions: Partition of each row, ascending.
        times: Time of each row.
        peers: Whether rows of one partition and time share a result.
    """
    rows = np.arange(len(partitions))
    results = rows
    if peers:
        group_of, groups = _peers(partitions, times)
        results = _last_of(group_of, len(groups))[group_of]
    return Events(rows, _kinds(RowKind.INSERT, rows), results, np.zeros(0, np.int64))


def _peers(partitions: Index, times: Index) -> tuple[Index, Index]:
    """Return the number of each row's group of equal partition and time, and where each group begins."""
    new = np.ones(len(times), np.bool_)
    new[1:] = (partitions[1:] != partitions[:-1]) | (times[1:] != times[:-1])
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _last_of(groups: Index, count: int) -> Index:
    """Return the last position of each of `count` groups. `groups`: group of each position, ascending."""
    return np.searchsorted(groups, np.arange(count), side="right") - 1


def _kinds(kind: RowKind, rows: Index) -> Index:
    return np.full(len(rows), int(kind), np.int64)
