"""A bounded frame as a stream of rows that come into it and rows that leave it, for each partition.

A row is taken back just before the first row, or the first peers, that no longer see it: as in Flink
(RowTimeRangeBoundedPrecedingFunction and the three like it), so that sums of floating point have its digits.
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
    """m changes of frames, each partition's in their order. rows: whose each is. kinds: of them. results:
    int64[n], for each row that fires, the change behind which its result is; none for other rows.
    leaving: the rows that have been taken back."""

    rows: Index
    kinds: Index
    results: Index
    leaving: Index


def by_count(partitions: Index, fires: Index, preceding: int) -> Events:
    """ROWS. partitions: int64[r], of all rows, ascending, and in each as they fire: rows that the frame holds
    already, then those that fire now (fires: their places)."""
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
    """RANGE. times: of all rows, ascending in each partition."""
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
    """For each row the first of the firing moments, given by their first rows, of its partition or one behind
    it, whose frame it is too old for."""
    least = int(times.min(initial=0))
    span = int(times.max(initial=0)) - least + 1
    if (int(partitions.max(initial=0)) + 1) * span < _ROOM:  # pairs of partition and time as one number
        firing = partitions[heads] * span + (times[heads] - least)
        last = np.minimum(times - least + min(preceding, span), span - 1)
        return np.searchsorted(firing, partitions * span + last, side="right")
    moments = np.unique(times[heads])
    span = len(moments) + 1
    firing = partitions[heads] * span + np.searchsorted(moments, times[heads])
    too_old = np.searchsorted(moments, times + preceding, side="right")
    return np.searchsorted(firing, partitions * span + too_old)


def running(partitions: Index, times: Index, peers: bool) -> Events:
    """No bound: all rows fire, nothing leaves. peers: rows of one partition and time share a result."""
    rows = np.arange(len(partitions))
    results = rows
    if peers:
        group_of, groups = _peers(partitions, times)
        results = _last_of(group_of, len(groups))[group_of]
    return Events(rows, _kinds(RowKind.INSERT, rows), results, np.zeros(0, np.int64))


def _peers(partitions: Index, times: Index) -> tuple[Index, Index]:
    """The group of each row, and where each group begins."""
    new = np.ones(len(times), np.bool_)
    new[1:] = (partitions[1:] != partitions[:-1]) | (times[1:] != times[:-1])
    return np.cumsum(new) - 1, np.flatnonzero(new)


def _last_of(groups: Index, count: int) -> Index:
    """The last place of each group; groups ascend."""
    return np.searchsorted(groups, np.arange(count), side="right") - 1


def _kinds(kind: RowKind, rows: Index) -> Index:
    return np.full(len(rows), int(kind), np.int64)
