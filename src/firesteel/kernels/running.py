"""What changes from row to row, and what goes out of it."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Bytes, Flags, Integers, Kinds, Numbers, given

SUM, LEAST, GREATEST = range(3)


@compiled
def accumulate(result: Numbers, way: int, values: Numbers, starts: Integers, initial: Numbers) -> None:
    """The sum, least or greatest of each stretch up to and with each row, from `initial` on, in exactly this
    order; integers wrap. starts: where stretches begin."""
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
def expand_outcomes(kinds: Kinds, causes: Integers, outcomes: Bytes, first: Kinds, second: Kinds) -> int:
    """The kinds of the rows that go out, and the number of the row that caused each; how many they are.

    first, second: by outcome, the kinds of what goes out of it, -1 for nothing.
    """
    count = 0
    for row in range(len(outcomes)):
        outcome = outcomes[row]
        if first[outcome] >= 0:
            kinds[count], causes[count] = first[outcome], row
            count += 1
        if second[outcome] >= 0:
            kinds[count], causes[count] = second[outcome], row
            count += 1
    return count


@compiled
def choose(found: Integers, causes: Integers, old: Flags, place: Integers, before: Integers) -> None:
    """Of rows that go out the number of the result that they show. causes: the row that caused each; place:
    where its result is; before: by that, where the one before it is, which is shown where `old` says so."""
    for i in range(len(causes)):
        at = place[causes[i]]
        found[i] = before[at] if old[i] else at


def warm() -> None:
    """Have the kernels loaded, or compiled: no rows at all."""
    out, kinds, flags = np.empty(0, np.int64), np.empty(0, np.int8), np.empty(0, np.bool_)
    for numbers in (out, np.empty(0, np.float64), np.empty(0, np.float32)):
        accumulate(numbers, SUM, *given(numbers, out, numbers))
    expand_outcomes(kinds, out, *given(np.empty(0, np.uint8), kinds, kinds))
    choose(out, *given(out, flags, out, out))
