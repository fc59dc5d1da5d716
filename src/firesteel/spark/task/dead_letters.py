"""Output of a source task to the dead-letter table of its job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.connectors.dead_letters import DeadLetter, DeadLetters
from firesteel.errors import DataError
from firesteel.job.spec import Output, sink_id
from firesteel.runtime.dataflow.counters import Counters
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.counters import TaskCounters
from firesteel.spark.task.outputs import TerminalOutput, terminal_output
from firesteel.types.arrow import to_arrow


class DeadLetterOutput:
    """Output of the dead letters of one split. The sink is opened with the first of them.

    Attributes:
        letters: Collector for the source; None if the job has no dead-letter table.
    """

    def __init__(self, context: TaskContext, task: TaskId, table: str) -> None:
        sinks = context.fragment.sinks
        self._number = next((n for n, spec in enumerate(sinks) if spec.takes_dead_letters), None)
        self.letters = None if self._number is None else DeadLetters()
        self._context, self._task, self._table = context, task, table
        self._output: TerminalOutput | None = None
        self._sent = 0

    def flush(self) -> Iterator[Packet]:
        """Send what the source has noted since the last call."""
        if self.letters is None or self._number is None or not (taken := self.letters.take()):
            return
        if self._output is None:
            output = Output(sink_id(self._number))
            self._output = terminal_output(self._context, output, self._task, TaskCounters(), Counters())
        yield from self._output.send(self._rows(taken, self._context.fragment.sinks[self._number]))

    def close(self) -> Iterator[Packet]:
        """Send what is left."""
        yield from self.flush()
        if self._output is not None:
            yield from self._output.close()

    def _rows(self, letters: Sequence[DeadLetter], spec: SinkSpec) -> pa.Table:
        """Return letters as inserts into the table, with the columns that it has."""
        count = len(letters)
        values = {
            "source_table": [self._table] * count,
            "source_position": [letter.position for letter in letters],
            "failed_at": [self._context.now] * count,
            "error_class": [DataError.__name__] * count,
            "error_text": [letter.text for letter in letters],
            "raw_bytes": [letter.raw for letter in letters],
            "row_kind": [None] * count,
        }
        columns = [
            pa.array(values[name], pa.int64()).cast(to_arrow(kind))
            if name == "failed_at"
            else pa.array(values[name], to_arrow(kind))
            for name, kind in zip(spec.names, spec.types, strict=True)
        ]
        sequences = row_sequences(self._task.index, self._sent, count)
        self._sent += count
        kinds = pa.repeat(pa.scalar(int(RowKind.INSERT), pa.int8()), count)
        names = [KIND, SEQUENCE, *(field(index) for index in range(len(columns)))]
        return pa.Table.from_arrays([kinds, sequences, *columns], names=names)
