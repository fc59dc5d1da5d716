"""Compute running aggregates from row to row, and the output rows that result."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Bytes, Flags, Integers, Kinds, Numbers, given

SUM, LEAST, GREATEST = range(3)


@compiled
def accumulate(result: Numbers, way: int, values: Numbers, starts: Integers, initial: Numbers) -> None:
    """Write the running sum, minimum or maximum (`way`) of each range of `values` to `result`.

    Values are combined strictly by row, starting with the range's value in `initial`. Integers wrap. `starts`
    has the first position of each range.
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

    Each input row has an outcome, which causes up to two output rows. `first` and `second` have the kinds of
    these, by outcome. -1 stands for no output row.
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
    """Write, for each output row, the index of the result that it shows.

    Args:
        found: Receives the indices.
        origins: Input row that caused each output row.
        old: Whether an output row shows the result before its input row, or the one after it.
        place: Index of the result after each input row.
        before: For each result, the index of the previous result of the key.
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
