"""Operations on values, entries and rows that are divided into groups.

`add_groups` sums the values of each group. `list_entries` lists entries of some groups, those in a mask.
`deal` sorts rows by group.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Flags, Integers, Offsets, given


@compiled
def add_groups(sums: Integers, order: Integers, starts: Integers, values: Integers) -> None:
    """Write the sum of the values of each group to `sums`. Sums wrap at 64 bits.

    `order` has the indices of the values, group by group. `starts` has where each group begins in `order`.
    """
    for group in range(len(starts)):
        end = starts[group + 1] if group + 1 < len(starts) else len(order)
        total = 0
        for at in range(starts[group], end):
            total += values[order[at]]
        sums[group] = total


@compiled
def list_entries(entries: Integers, ends: Offsets, there: Flags, bounds: Integers, groups: Integers) -> int:
    """List the entries of m groups for which `there` is True, and return the number of listed entries.

    An entry is a position in `there`. Every group is a range of entries.

    Args:
        entries: Receives the listed entries, group by group.
        ends: int32[m + 1]. The entries of groups[k] are written to entries[ends[k]:ends[k + 1]].
        there: bool for each entry, True if the entry is to be listed.
        bounds: Group i has the entries bounds[i] to bounds[i + 1] - 1.
        groups: int64[m], numbers of the wanted groups, in output order.
    """
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
    """Write the stable order of n rows by group, and the end of each group in it.

    Args:
        order: int64[n], receives the rows.
        ends: int64[g], receives the ends.
        groups: int32[n], group of each row, below g.
    """
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
    """Load the kernels, or compile them."""
    out = np.empty(0, np.int64)
    add_groups(out, *given(out, out, out))
    deal(out, out, *given(np.empty(0, np.int32)))
    list_entries(out, np.zeros(1, np.int32), *given(np.empty(0, np.bool_), np.zeros(1, np.int64), out))
