"""Check of a sink's constraints, such as NOT NULL, on rows before they go to the sink.

If the job has a dead-letter table for such rows, rows that violate a constraint become dead letters.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.changelog import KIND, SHORT
from firesteel.connectors.dead_letters import DeadLetter
from firesteel.connectors.refused_rows import RefusedRow, row_text
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.task.context import TaskId
from firesteel.spark.task.dead_letters import DeadLetterOutput

_VIOLATION = "ConstraintViolation"
"""Error class of a row that violates a constraint of its table."""


class RowChecks:
    """Check of the rows that one task sends to a sink against the constraints of the sink's columns.

    Args:
        spec: The sink.
        task: Identity of the task.
        refused: Output of dead letters, for rows that violate a constraint or that the sink refuses; None if
            the first such row ends the job.
    """

    def __init__(self, spec: SinkSpec, task: TaskId, refused: DeadLetterOutput | None) -> None:
        self._constraints = spec.constraints
        self._columns = tuple(zip(spec.names, spec.types, strict=True))
        self._position = batch_position(task.batch)
        self.refused = refused

    def accepted(self, changes: pa.Table) -> pa.Table:
        """Return the rows that satisfy the constraints of the sink's table.

        Flink's options `table.exec.sink.*-enforcer` decide what happens to a row that violates a constraint:
        it becomes a dead letter (ERROR), it is dropped (DROP), or its values are adapted (TRIM_PAD).

        Raises:
            JobError: A row violates a constraint whose setting is ERROR, and the job has no dead-letter table
                for such rows.
        """
        if self._constraints is None:
            return changes
        from firesteel.runtime.operators.sink.constraint_checks import enforce

        return enforce(changes, self._constraints, None if self.refused is None else self._violation)

    def _violation(self, row: pa.Table, text: str) -> None:
        kind, shown = row[KIND][0].as_py(), row_text(row, self._columns)
        self.note([RefusedRow(0, kind, shown, _VIOLATION, text)])

    def note(self, rows: Sequence[RefusedRow]) -> None:
        """Add rows that the sink refuses to the dead letters.

        Do nothing if the job has no dead-letter table for such rows.
        """
        if self.refused is not None and self.refused.letters is not None:
            for row in rows:
                self.refused.letters.add(letter_of(row, self._position))


def batch_position(batch: int) -> str:
    """Return the text for a row's position in its dead letter: the number of the micro-batch."""
    return f"micro-batch {batch}"


def letter_of(row: RefusedRow, position: str) -> DeadLetter:
    """Return a refused row as a dead letter."""
    return DeadLetter(position, row.text, row.row.encode(), row.error_class, SHORT[row.kind])
