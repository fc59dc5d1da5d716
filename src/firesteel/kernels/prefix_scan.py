"""Compute running aggregates, one result for each input row, and list the output rows that contain them."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Bytes, Flags, Integers, Kinds, Numbers, given

SUM, LEAST, GREATEST = range(3)


@compiled
def accumulate(result: Numbers, way: int, values: Numbers, starts: Integers, initial: Numbers) -> None:
    """Write the running sum, minimum or maximum within each range of `values` to `result`.

    Values are combined one after the other, as the rounding of floating point sums requires. Integers wrap.

    Args:
        result: Receives the result after each value.
        way: SUM, LEAST or GREATEST.
        values: The values, range by range.
        starts: First position of each range.
        initial: Result of each range before its first value.
    """
    for number in range(len(starts)):
        end = starts[number + 1] if number + 1 < len(starts) else len(values)
        running = initial[number]
        for row in range(starts[number], end):
            if way == SUM:
                running += values[row]
            elif way == LEAST:
                running = min(running, values[row])
            else:
                running = max(running, values[row])
            result[row] = running


@compiled
def expand_outcomes(kinds: Kinds, origins: Integers, outcomes: Bytes, first: Kinds, second: Kinds) -> int:
    """Write the kind and the input row of each output row, and return the number of output rows.

    Args:
        kinds: int8[2 * n], receives the row kind of each output row.
        origins: int64[2 * n], receives the input row of each output row.
        outcomes: uint8[n], outcome of each input row, such as an update. It causes up to two output rows.
        first: For each outcome, the row kind of the first output row, -1 if there is no such row.
        second: For each outcome, the row kind of the second output row, -1 if there is no such row.
    """
    count = 0
    for row in range(len(outcomes)):
        outcome = outcomes[row]
        if first[outcome] >= 0:
            kinds[count], origins[count] = first[outcome], row
            count += 1
        if second[outcome] >= 0:
            kinds[count], origins[count] = second[outcome], row
            count += 1
    return count


@compiled
def choose(found: Integers, origins: Integers, old: Flags, place: Integers, before: Integers) -> None:
    """Write, for each output row, the index of the aggregate's result that it shows.

    Args:
        found: Receives the indices.
        origins: For each output row, the input row that caused it.
        old: For each output row: True if it shows the key's result before the input row, False for the
            result after it.
        place: For each input row, the index of the result after it.
        before: For each result, the index of the previous result of the same key.
    """
    for i in range(len(origins)):
        at = place[origins[i]]
        found[i] = before[at] if old[i] else at


def warm() -> None:
    """Load the kernels, or compile them."""
    out, kinds, flags = np.empty(0, np.int64), np.empty(0, np.int8), np.empty(0, np.bool_)
    for numbers in (out, np.empty(0, np.float64), np.empty(0, np.float32)):
        accumulate(numbers, SUM, *given(numbers, out, numbers))
    expand_outcomes(kinds, out, *given(np.empty(0, np.uint8), kinds, kinds))
    choose(out, *given(out, flags, out, out))
