"""List the changes of a batch of CDC messages. A message may have several rows, as in Canal's format.

Example: an INSERT message with the rows a and b becomes +I a, +I b. An UPDATE message with the row a becomes
-U with the old row, the row before the update, and +U a.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Cells, Flags, Integers, Kinds

_UPDATE_BEFORE, _UPDATE_AFTER = 1, 2
"""Row kinds of an update (changelog.RowKind)."""


@compiled
def lay_out(
    kinds: Kinds, skipped: Flags, starts: Integers, olds: Integers, counts: Integers,
    change_kinds: Kinds, messages: Integers, rows: Integers, old_rows: Integers,
) -> int:  # fmt: skip
    """Write the changes of n messages to the last four arrays, and return the number of changes.

    These arrays need room for two changes a row. Rows, old rows and messages are given by their positions.

    Args:
        kinds: int8[n], row kind of each message. That of an UPDATE is +U.
        skipped: bool[n], True for a message to skip.
        starts: int64[n], first row of each message. Its rows are consecutive.
        olds: int64[n], first old row of each message. Read for UPDATEs only.
        counts: int64[n], number of rows of each message.
        change_kinds: Receives the row kind of each change: -U and +U for a row of an UPDATE.
        messages: Receives the message from which each change comes.
        rows: Receives the row of each change.
        old_rows: Receives the old row if the change is a -U, else -1.
    """
    change = 0
    for message in range(len(kinds)):
        if skipped[message]:
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
    """Write the cell of one field in each of k changes to `found`, int64[k].

    `now` and `old` have the cells of the field in all rows and all old rows. The other arrays are those of
    `lay_out`. An old row has only the fields that its UPDATE changed. A cell is 0 if a row lacks the field.

    A change gets the cell of its row in `now`, unless it is the row before an UPDATE:

        the change's old row has the field              ->   the cell in `old`
        no old row of the message has the field         ->   the cell in `now`: the field did not change
        only other old rows of the message have it      ->   0 (missing), as Flink searches all old rows
    """
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
    """Load the kernels, or compile them."""
    kinds, flags, integers = np.empty(0, np.int8), np.empty(0, np.bool_), np.empty(0, np.int64)
    lay_out(kinds, flags, integers, integers, integers, kinds, integers, integers, integers)
    overlay(integers, integers, integers, integers, integers, integers, integers, integers)
