"""Groups of entries: their sums, their entries, and rows dealt out to them."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Flags, Integers, Offsets, given


@compiled
def add_groups(sums: Integers, order: Integers, starts: Integers, values: Integers) -> None:
    """The sum of each group of values, which wraps: those that stand in `order` from its start on."""
    for group in range(len(starts)):
        end = starts[group + 1] if group + 1 < len(starts) else len(order)
        total = 0
        for at in range(starts[group], end):
            total += values[order[at]]
        sums[group] = total


@compiled
def list_entries(entries: Integers, ends: Offsets, there: Flags, bounds: Integers, groups: Integers) -> int:
    """The numbers of the entries that are there, group by group, and how many they are. groups: int64[m], in
    this order; group i has the entries from bounds[i] up to bounds[i + 1]. ends: [m + 1], where the entries
    of each begin and end."""
    count = 0
    ends[0] = 0
    for place in range(len(groups)):
        for entry in range(bounds[groups[place]], bounds[groups[place] + 1]):
            if there[entry]:
                entries[count] = entry
                count += 1
        ends[place + 1] = count
    return count


@compiled
def deal(order: Integers, ends: Integers, groups: Offsets) -> None:
    """The rows by group, within one as they stand, and where those of each group end. groups: int32[n], below
    the number of `ends`."""
    ends[:] = 0
    for row in range(len(groups)):
        ends[groups[row]] += 1
    begin = 0
    for group in range(len(ends)):
        begin, ends[group] = begin + ends[group], begin
    for row in range(len(groups)):
        order[ends[groups[row]]] = row
        ends[groups[row]] += 1


def warm() -> None:
    """Have the kernels loaded, or compiled: no groups at all."""
    out = np.empty(0, np.int64)
    add_groups(out, *given(out, out, out))
    deal(out, out, *given(np.empty(0, np.int32)))
    list_entries(out, np.zeros(1, np.int32), *given(np.empty(0, np.bool_), np.zeros(1, np.int64), out))
