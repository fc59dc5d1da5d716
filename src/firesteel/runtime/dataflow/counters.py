"""Counters of operators: rows in and out, busy time, late rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TypeAlias, TypeVar

import pyarrow as pa

from firesteel.runtime.dataflow.operator import Message, PortBatch, WatermarkedBatch

Sent = TypeVar("Sent", bound="Message | PortBatch")
LATE = 3
"""Position of the late rows among the values of counters."""


@dataclass
class Counters:
    """Counters of one step: of an operator, of reading a source, or of sending rows on.

    Attributes:
        rows_in: Rows that came in.
        rows_out: Rows that went out.
        busy: Nanoseconds that the step worked. Time in which it waited for other steps does not count.
        late: Rows that it dropped because they came too late.
    """

    rows_in: int = 0
    rows_out: int = 0
    busy: int = 0
    late: int = 0

    def add(self, other: Sequence[int]) -> None:
        """Add other counters, given as `values` returns them."""
        self.rows_in += other[0]
        self.rows_out += other[1]
        self.busy += other[2]
        self.late += other[LATE]

    def values(self) -> tuple[int, int, int, int]:
        """Return the counters in the order of the attributes."""
        return self.rows_in, self.rows_out, self.busy, self.late

    def measure(self, step: Callable[[], Iterable[Sent]]) -> Iterator[Sent]:
        """Yield the messages of a step, and count their rows and the time that the step takes.

        The time that the receiver takes between two messages does not count.

        Args:
            step: Function that begins the step and returns its messages.
        """
        begun = perf_counter_ns()
        messages = iter(step())
        while True:
            message = next(messages, None)
            self.busy += perf_counter_ns() - begun
            if message is None:
                return
            self.rows_out += rows_of(message)
            yield message
            begun = perf_counter_ns()


ChainCounters: TypeAlias = "list[Counters]"
"""Counters of the steps of a chain: its input (reading a source, or merging packets), its operators in order,
and its output (packing rows, or writing to a sink)."""


def rows_of(message: Message | PortBatch) -> int:
    """Return the number of rows of a message, 0 for a watermark."""
    if isinstance(message, pa.Table):
        return int(message.num_rows)
    if isinstance(message, WatermarkedBatch):
        return int(message.table.num_rows)
    if isinstance(message, PortBatch):
        return sum(each.table.num_rows for each in message.inputs if each is not None)
    return 0


def bytes_of(message: Message) -> int:
    """Return the number of bytes of the rows of a message, 0 for a watermark."""
    if isinstance(message, pa.Table):
        return int(message.nbytes)
    return int(message.table.nbytes) if isinstance(message, WatermarkedBatch) else 0
