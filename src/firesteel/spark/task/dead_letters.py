"""Output of a task to a dead-letter table of its job."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import pyarrow as pa

from firesteel.connectors.dead_letters import DeadLetters, LetterSource, letters_table
from firesteel.job.spec import Output, sink_id
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.task.context import TaskContext, TaskId


class LetterOutput(Protocol):
    """Output of rows to a sink."""

    def send(self, message: pa.Table) -> Iterator[Packet]: ...

    def close(self) -> Iterator[Packet]: ...


OpenOutput = Callable[[Output], LetterOutput]
"""Function that opens an output to a sink."""


def sink_of_messages(sinks: Sequence[SinkSpec], table: str) -> int | None:
    """Return the number of the sink that gets the unreadable messages of a table; None if none does.

    A table may name a dead-letter table of its own. Else, its messages go to the job's dead-letter table.
    """
    taking = {n: spec for n, spec in enumerate(sinks) if spec.takes_dead_letters}
    own = (n for n, spec in taking.items() if spec.dead_letter_source == table != "")
    return next(own, sink_of_rows(sinks))


def sink_of_rows(sinks: Sequence[SinkSpec]) -> int | None:
    """Return the number of the sink for dead letters that a task sends; None if the job has none.

    Such dead letters are messages that cannot be read, late rows, and rows that a sink refuses when a task
    writes them. The sink writes them to the job's dead-letter table. Rows that a sink refuses while it
    commits go to the same table, but through another sink of the job (SinkSpec.takes_refused_rows).
    """
    for number, spec in enumerate(sinks):
        if spec.takes_dead_letters and not spec.dead_letter_source and not spec.takes_refused_rows:
            return number
    return None


class DeadLetterOutput:
    """Output of the dead letters of one task. The sink is opened with the first of them.

    Args:
        context: Context of the task.
        task: Identity of the task.
        source: Source, operator or sink from which the dead letters come.
        number: Number of the sink that gets the dead letters; None if they go nowhere.
        opened: Function that opens the output.

    Attributes:
        letters: Collector to which callers add dead letters; None if they go nowhere.
    """

    def __init__(
        self,
        context: TaskContext,
        task: TaskId,
        source: LetterSource,
        number: int | None,
        opened: OpenOutput,
    ) -> None:
        self._number = number
        self.letters = None if number is None else DeadLetters()
        self._context, self._task, self._source = context, task, source
        self._opened = opened
        self._output: LetterOutput | None = None
        self._sent = 0

    def flush(self) -> Iterator[Packet]:
        """Yield packets with the dead letters since the last call."""
        if self.letters is None or self._number is None or not (taken := self.letters.take()):
            return
        if self._output is None:
            self._output = self._opened(Output(sink_id(self._number)))
        spec, times = self._context.fragment.sinks[self._number], [self._context.now] * len(taken)
        rows = letters_table(taken, spec, self._source, times, self._task.index, self._sent)
        self._sent += len(taken)
        yield from self._output.send(rows)

    def close(self) -> Iterator[Packet]:
        """Yield packets with the last dead letters."""
        yield from self.flush()
        if self._output is not None:
            yield from self._output.close()
