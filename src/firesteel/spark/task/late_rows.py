"""Output of the late rows of a chain to the dead-letter table of the job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from functools import partial

from firesteel.changelog import KIND, SHORT
from firesteel.connectors.dead_letters import DeadLetter, LetterSource, source_id
from firesteel.connectors.refused_rows import row_texts
from firesteel.runtime.dataflow.chain import Chain
from firesteel.runtime.dataflow.late_rows import LateRows, LateTable
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.spec.tables import LateInput
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.dead_letters import DeadLetterOutput, sink_of_rows
from firesteel.spark.task.outputs import letter_output
from firesteel.spark.task.row_checks import batch_position

_LATE = "LateRow"
"""Error class of a late row."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class LateRowsOutput:
    """Output of the late rows of one chain in one task. It does nothing if the job only counts late rows.

    Args:
        operators: For each operator that may drop late rows: the collector of these rows, the operator's
            inputs by port, and the output to which the dead letters go.
        position: Text for the position of the rows in their dead letters, such as `micro-batch 7`.
    """

    def __init__(
        self, operators: Sequence[tuple[LateRows, dict[int, LateInput], DeadLetterOutput]], position: str
    ) -> None:
        self._operators = operators
        self._position = position

    @classmethod
    def of(cls, context: TaskContext, id: TaskId, chain: Chain) -> LateRowsOutput:
        """Return the output of the late rows of a chain. It does nothing if no sink takes late rows.

        Args:
            context: Context of the task.
            id: Identity of the task, with the number of the chain.
            chain: The operators of the chain.
        """
        number = sink_of_rows(context.fragment.sinks)
        inputs: dict[int, dict[int, LateInput]] = {}
        for each in () if number is None else context.fragment.sinks[number].late_inputs:
            if each.chain == id.chain:
                inputs.setdefault(each.operator, {})[each.port] = each
        operators = []
        for operator, by_port in inputs.items():
            source = LetterSource(by_port[0].name, f"{source_id(context.job, id.chain)}.{operator}")
            output = DeadLetterOutput(context, id, source, number, partial(letter_output, context, id))
            operators.append((chain.collect_late(operator), by_port, output))
        return cls(operators, batch_position(id.batch))

    def flush(self) -> Iterator[Packet]:
        """Yield packets with the rows that were dropped as late since the last call."""
        for collected, inputs, output in self._operators:
            assert output.letters is not None
            for late in collected.take():
                for letter in _letters(late, inputs[late.port], self._position):
                    output.letters.add(letter)
            yield from output.flush()

    def close(self) -> Iterator[Packet]:
        """Yield packets with the last late rows, and close the outputs."""
        yield from self.flush()
        for _, _, output in self._operators:
            yield from output.close()


def _letters(late: LateTable, columns: LateInput, position: str) -> Iterator[DeadLetter]:
    """Yield each late row as a dead letter."""
    texts = row_texts(late.rows, tuple(zip(columns.names, columns.types, strict=True)))
    kinds = late.rows[KIND].to_pylist()
    for text, kind, time, watermark in zip(
        texts, kinds, late.times.tolist(), late.watermarks.tolist(), strict=True
    ):
        said = f"The row is late: its time is {_shown(time)}, and the watermark was {_shown(watermark)}."
        yield DeadLetter(position, said, text.encode(), _LATE, SHORT[kind])


def _shown(milliseconds: int) -> str:
    """Return a time as text in UTC, such as `2024-05-01 12:00:00.000`.

    If the year is not from 1 to 9999, return the milliseconds since 1970, such as `253402300800000 ms`.
    """
    try:
        shown = _EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return f"{milliseconds} ms"
    return shown.strftime("%Y-%m-%d %H:%M:%S.") + f"{shown.microsecond // 1000:03}"
