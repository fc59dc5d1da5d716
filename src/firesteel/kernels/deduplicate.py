"""Find the first or the last row of each key by time, row by row.

Rows are sorted by key. The rows of key k begin at starts[k] in `order` and are in their input order.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Flags, Integers, given

NONE, DROPPED = -1, -2
"""Values in the result arrays in place of a row number: NONE: no row. DROPPED: this input row is not kept."""


@compiled
def keep_rows(
    before: Integers, kept: Integers,
    order: Integers, starts: Integers, times: Integers, stored: Integers, stored_times: Integers, last: Flags,
) -> None:  # fmt: skip
    """Keep one row for each of g keys: find which of n rows become the kept row, and which row each replaces.

    Args:
        before: int64[n], receives the row that each row replaces. NONE: it replaces no row. DROPPED: it is
            not kept.
        kept: int64[g], receives the final row of each key, NONE if there is none.
        order: int64[n], rows sorted by key.
        starts: int64[g], where each key begins in `order`.
        times: int64[n], time of each row.
        stored: int64[g], number of the row that each key has at the start, NONE for none.
        stored_times: int64[g], time of that row.
        last: bool[1]. True keeps the row with the greatest time; among equal times, the later row. False
            keeps the row with the least time; among equal times, the earlier row.
    """
    for key in range(len(starts)):
        end = starts[key + 1] if key + 1 < len(starts) else len(order)
        best, time = stored[key], stored_times[key]
        for at in range(starts[key], end):
            row = order[at]
            if best == NONE or (times[row] >= time if last[0] else times[row] < time):
                before[row] = best
                best, time = row, times[row]
            else:
                before[row] = DROPPED
        kept[key] = best


@compiled
def first_rows(
    sent: Integers, waiting: Integers, done: Flags,
    order: Integers, starts: Integers, times: Integers, watermarks: Integers, behind: Integers,
    stored: Integers, stored_times: Integers, stored_watermarks: Integers,
) -> None:  # fmt: skip
    """Find, for each of g keys, the row with the least time, and whether it is sent.

    A row is sent if a watermark at or above its time comes before the next row of its key. The kernel does
    not look at watermarks after the last row of a key: the caller does, for the rows in `waiting`.

    Args:
        sent: int64[g], receives the row that is sent, NONE for none.
        waiting: int64[g], receives the row that waits after the last row of the key, NONE for none.
        done: bool[g], whether the key has sent its row. Updated.
        order: int64[n], rows sorted by key, without late ones.
        starts: int64[g], where each key begins in `order`. A key may have no rows.
        times: int64[n], time of each row.
        watermarks: int64[n], for each row, the number of the first watermark that comes after the row and
            is at or above its time; the number of all watermarks if none is.
        behind: int64[n], for each row, how many watermarks come before it.
        stored: int64[g], number of the row that waits at the start, NONE for none.
        stored_times: int64[g], time of that row.
        stored_watermarks: int64[g], like `watermarks`, for that row.
    """
    for key in range(len(starts)):
        end = starts[key + 1] if key + 1 < len(starts) else len(order)
        best, time, watermark = stored[key], stored_times[key], stored_watermarks[key]
        sent[key] = NONE
        for at in range(starts[key], end):
            row = order[at]
            if best != NONE and watermark < behind[row]:
                sent[key], done[key], best = best, True, NONE
            if done[key]:
                break
            if best == NONE or times[row] < time:
                best, time, watermark = row, times[row], watermarks[row]
        waiting[key] = best


def warm() -> None:
    """Load the kernels, or compile them."""
    none, flags = np.empty(0, np.int64), np.empty(0, np.bool_)
    keep_rows(none, none, *given(*[none] * 5, flags))
    first_rows(none, none, flags, *given(*[none] * 8))
