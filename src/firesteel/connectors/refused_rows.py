"""Rows that the target of a sink refuses, set aside for the dead-letter table instead of ending the job.

If a sink that commits in tasks finds such rows, it does not complete the task's batch, and raises
RowsRefusedError. The host stores the rows durably and runs the task again, which leaves them out
(spark/sink_task.py). A batch that is repeated after a crash leaves out the same rows, even if the target
would take them now.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND
from firesteel.connectors.print_format import lines
from firesteel.errors import FiresteelError
from firesteel.formats.json.encode import JsonWriters
from firesteel.formats.json.options import JsonOptions
from firesteel.types.sql import SqlType

ROW = "$row"
"""Column with the number of a row: its position among all rows that its task writes in the batch."""


@dataclass(frozen=True)
class RefusedRow:
    """One row that a sink's target refuses.

    Attributes:
        number: Position of the row among all rows of its task (ROW).
        kind: Row kind as a number (RowKind).
        row: The row as a JSON object.
        error_class: Class of the error.
        text: Message of the target's error.
        failed_at: Time of the error in milliseconds since 1970.
    """

    number: int
    kind: int
    row: str
    error_class: str
    text: str
    failed_at: int = field(default_factory=lambda: int(time.time() * 1000))


RefusedRows = dict[int, list[RefusedRow]]
"""Refused rows of a sink. The key is the number of the sink's task that writes the rows: the partition."""


class RowsRefusedError(Exception):
    """Error that a sink raises after its target has refused rows.

    The sink has added the rows to Refusals.found, and has not completed the task's batch. The host catches
    the error, stores these rows, and runs the task again without them (spark/sink_task.py).
    """


class RowError(Exception):
    """Error with which a target refuses one row.

    Attributes:
        error_class: Class of the target's error.
    """

    def __init__(self, text: str, error_class: str) -> None:
        super().__init__(text)
        self.error_class = error_class


class Refusals:
    """Refused rows of one batch, in two groups.

    - `known`: the target refused them in an earlier attempt. The sink leaves them out.
    - `found`: the target has refused them in this attempt.

    Args:
        known: Rows to leave out, by partition (number of the task that writes them).

    Attributes:
        found: Newly refused rows, by partition.
    """

    def __init__(self, known: Mapping[int, Sequence[RefusedRow]] | None = None) -> None:
        self._known = {
            partition: frozenset(row.number for row in rows) for partition, rows in (known or {}).items()
        }
        self.found: RefusedRows = {}

    def left_out(self, partition: int) -> frozenset[int]:
        """Return the numbers of the rows of a partition that the sink leaves out."""
        return self._known.get(partition, frozenset())

    def kept(self, changes: pa.Table, partition: int) -> pa.Table:
        """Return the rows of a table with the column ROW, without those that the sink leaves out."""
        left_out = self.left_out(partition)
        if not left_out:
            return changes
        return changes.filter(pa.array(~np.isin(changes[ROW].to_numpy(), list(left_out))))

    def add(self, partition: int, rows: Sequence[RefusedRow]) -> None:
        """Add refused rows of a partition. The list may be empty."""
        if rows:
            self.found.setdefault(partition, []).extend(rows)

    def take(self) -> list[RefusedRow]:
        """Remove and return all rows in `found`."""
        found = [row for rows in self.found.values() for row in rows]
        self.found.clear()
        return found


def numbered(changes: pa.Table, first: int = 0) -> pa.Table:
    """Return a changes table with an added column ROW, which numbers the rows from `first`."""
    return changes.append_column(ROW, pa.array(np.arange(first, first + changes.num_rows)))


def refused_row(changes: pa.Table, columns: Sequence[tuple[str, SqlType]], error: Exception) -> RefusedRow:
    """Return the only row of a table as a refused row, with the error for it.

    Args:
        changes: One row. Without the column ROW, its number is 0.
        columns: Name and type of its fields.
        error: The error.
    """
    name = getattr(error, "error_class", "") or type(error).__name__
    if isinstance(error, FiresteelError):
        text = error.message
    else:
        text = str(error) if isinstance(error, RowError) else f"{name}: {error}"
    number = changes[ROW][0].as_py() if ROW in changes.column_names else 0
    return RefusedRow(number, changes[KIND][0].as_py(), row_text(changes, columns), name, text)


def row_text(changes: pa.Table, columns: Sequence[tuple[str, SqlType]]) -> str:
    """Return the only row of a table as a JSON object.

    If JSON cannot represent the row, return the text that the print connector writes.
    """
    names, types = tuple(name for name, _ in columns), tuple(kind for _, kind in columns)
    try:
        (text,) = JsonWriters(_OPTIONS).objects(changes, names, types)
    except Exception:  # for example a map with a NULL key
        (text,) = lines(changes, types)
    return text


def row_texts(changes: pa.Table, columns: Sequence[tuple[str, SqlType]]) -> list[str]:
    """Return each row of a table as a JSON object, or as `row_text` does if JSON cannot represent it."""
    names, types = tuple(name for name, _ in columns), tuple(kind for _, kind in columns)
    try:
        return list(JsonWriters(_OPTIONS).objects(changes, names, types))
    except Exception:  # JSON cannot represent some row, so convert row by row
        return [row_text(changes.slice(number, 1), columns) for number in range(changes.num_rows)]


_OPTIONS = JsonOptions()


def refused_by_halves(
    changes: pa.Table, is_refused: Callable[[pa.Table], Exception | None]
) -> Iterator[tuple[int, Exception]]:
    """Yield (position, error) of each refused row, in order.

    The function calls `is_refused` for all rows. If one of them is refused, it calls it for the first half,
    then for the second half, and so on down to single rows. If none is, it is done with these rows.

    Args:
        changes: The rows.
        is_refused: Function that returns an error if at least one of the given rows is refused, else None.
    """
    pending = [(0, changes.num_rows)] if changes.num_rows else []
    while pending:
        start, count = pending.pop()
        error = is_refused(changes.slice(start, count))
        if error is None:
            continue
        if count == 1:
            yield start, error
            continue
        half = count // 2
        pending += [(start + half, count - half), (start, half)]


def to_json(rows: Mapping[int, Sequence[RefusedRow]]) -> dict[str, list[dict[str, Any]]]:
    """Return refused rows as JSON values: {"0": [{"number": 7, ...}]} for row 7 of partition 0."""
    return {str(partition): [asdict(row) for row in found] for partition, found in rows.items()}


def from_json(value: Any) -> RefusedRows:
    """Return the refused rows in the JSON value that `to_json` wrote."""
    return {int(partition): [RefusedRow(**row) for row in found] for partition, found in value.items()}
