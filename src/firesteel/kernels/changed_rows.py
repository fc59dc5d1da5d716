"""The changes that messages with lists of rows cause: an UPDATE is a row before and a row after."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Cells, Flags, Integers, Kinds

_UPDATE_BEFORE, _UPDATE_AFTER = 1, 2
"""changelog.RowKind."""


@compiled
def lay_out(
    kinds: Kinds, left_out: Flags, starts: Integers, olds: Integers, counts: Integers,
    change_kinds: Kinds, messages: Integers, rows: Integers, old_rows: Integers,
) -> int:  # fmt: skip
    """The number k of the changes of n messages. kinds: int8[n], of a message's rows, an UPDATE's is +U. Its
    `counts` rows begin at starts, the old ones at olds. Gets, of each change, its kind, its message, its row,
    and its old row where it is the one before an UPDATE, else -1; there is room for two changes a row."""
    change = 0
    for message in range(len(kinds)):
        if left_out[message]:
            continue
        for step in range(counts[message]):
            if kinds[message] == _UPDATE_AFTER:
                change_kinds[change] = _UPDATE_BEFORE
                messages[change] = message
                rows[change] = starts[message] + step
                old_rows[change] = olds[message] + step
                change += 1
            change_kinds[change] = kinds[message]
            messages[change] = message
            rows[change] = starts[message] + step
            old_rows[change] = -1
            change += 1
    return change


@compiled
def overlay(
    now: Cells, old: Cells, messages: Integers, rows: Integers, old_rows: Integers, olds: Integers,
    counts: Integers, found: Cells,
) -> None:  # fmt: skip
    """found: int64[k], a field's cell in each change. now: in each row, old: in each old one, which has what
    changed. What it does not have is as in the row, unless another old row of the message has it."""
    for change in range(len(found)):
        value = now[rows[change]]
        row = old_rows[change]
        if row >= 0:
            before = old[row]
            if before != 0:
                value = before
            else:
                first = olds[messages[change]]
                for other in range(first, first + counts[messages[change]]):
                    if old[other] != 0:
                        value = 0
        found[change] = value


def warm() -> None:
    """Have the kernels loaded, or compiled: no message at all."""
    kinds, flags, integers = np.empty(0, np.int8), np.empty(0, np.bool_), np.empty(0, np.int64)
    lay_out(kinds, flags, integers, integers, integers, kinds, integers, integers, integers)
    overlay(integers, integers, integers, integers, integers, integers, integers, integers)
