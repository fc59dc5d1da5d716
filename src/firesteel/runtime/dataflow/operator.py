"""Contract of operators: the messages that drive an operator and the messages that it sends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.errors import InternalError
from firesteel.runtime.dataflow.late_rows import LateRows, LateTable
from firesteel.runtime.dataflow.sequence import Numbers, sequences

MAX_WATERMARK = (1 << 63) - 1
"""Watermark of an input that has ended (Java's Long.MAX_VALUE)."""

MIN_WATERMARK = -(1 << 63)
"""Watermark of an input that has not sent a watermark yet."""

Flags: TypeAlias = NDArray[np.bool_]

Clock: TypeAlias = Callable[[], int]
"""Function that returns the processing time in milliseconds. The time is constant within a micro-batch."""


LAST_SEQUENCE = (1 << 62) - 1
"""Sequence of changes that the end of a micro-batch or of the input causes. It is above that of all rows."""


BEFORE_ALL = -1
"""Sequence of the watermark that begins a micro-batch and repeats the last one of the micro-batch before."""


@dataclass(frozen=True)
class Watermark:
    """Watermark, a promise that no later row has a time up to `time`.

    In the order of changes, the watermark comes after all rows with its sequence. Its sub-sequence is not
    below the sub-sequence of any of these rows.

    Attributes:
        time: Event time in milliseconds.
        sequence: Sequence of the changes that the watermark causes (runtime/dataflow/sequence.py).
        sub_sequence: Sub-sequence of the changes that the watermark causes.
    """

    time: int
    sequence: int = LAST_SEQUENCE
    sub_sequence: int = 0


@dataclass(frozen=True)
class WatermarkedBatch:
    """Rows with the watermarks among them, as columns.

    This one message replaces a series of messages: a short table, a watermark, a short table and so on.

    Attributes:
        table: Changes table, sorted by sequence.
        times: int64[m], ascending. Watermarks in milliseconds.
        sequences: int64[m], ascending. Watermark i follows all rows with a sequence up to `sequences[i]`.
        sub_sequence: Sub-sequence of all the watermarks.

    Example:
        Rows with the sequences 1, 2, 5 and the watermarks times=[1000, 2000], sequences=[2, 5]. The pieces
        are: rows 1 and 2, watermark 1000, row 5, watermark 2000.
    """

    table: pa.Table
    times: NDArray[np.int64]
    sequences: NDArray[np.int64]
    sub_sequence: int = 0

    @property
    def at(self) -> NDArray[np.int64]:
        """Return the number of rows before each watermark, int64[m]."""
        return np.searchsorted(sequences(self.table), self.sequences, side="right")

    def with_rows(self, table: pa.Table) -> WatermarkedBatch:
        """Return a batch with these watermarks and other rows: the changes that the rows have caused."""
        return replace(self, table=table)

    def part(self, start: int, stop: int) -> WatermarkedBatch:
        """Return the rows from `start` up to `stop`, exclusive, with the watermarks right after each of them.

        Watermarks before all rows belong to the part that begins with row 0.
        """
        at = self.at
        own = (at <= stop) & ((at > start) | (start == 0))
        return replace(
            self,
            table=self.table.slice(start, stop - start),
            times=self.times[own],
            sequences=self.sequences[own],
        )

    def pieces(self) -> Iterator[pa.Table | Watermark]:
        """Yield the rows and watermarks one message at a time, in order."""
        start = 0
        for time, sequence, end in zip(
            self.times.tolist(), self.sequences.tolist(), self.at.tolist(), strict=True
        ):
            if end > start:
                yield self.table.slice(start, end - start)
                start = end
            yield Watermark(time, sequence, self.sub_sequence)
        if start < self.table.num_rows:
            yield self.table.slice(start)


@dataclass(frozen=True)
class PortBatch:
    """Rows and watermarks of all inputs of an operator, released together.

    Attributes:
        inputs: For each port its rows with the watermarks among them, or None if the port has neither.
            The rows of a port are sorted by sequence. The rows of different ports are not interleaved: an
            operator takes one port after the other, in the order that its spec names (`port_order`).
    """

    inputs: tuple[WatermarkedBatch | None, ...]


Message: TypeAlias = "pa.Table | Watermark | WatermarkedBatch"
"""A message that an operator sends: a changes table (runtime/spec/operators.py), a watermark, or both."""


class Operator:
    """One step of a chain, with one instance for each chain instance.

    An operator gets its input in order. Its input comes in tables, and its output must not depend on how the
    rows are divided into tables. A result keeps the sequence of the row that caused it. An operator with
    several inputs tells them apart by port.

    The defaults send rows and watermarks on unchanged. Override what the operator needs.

    Example:
        class Count(Operator):
            '''Count rows and send the count at the end of each micro-batch.'''

            def changes(self, table, port=0):
                self._count += table.num_rows
                return ()

            def barrier(self):
                return (self._result(),)
    """

    late: int = 0
    """Number of rows dropped because they came too late (Flink: numLateRecordsDropped)."""
    late_rows: LateRows | None = None
    """Collector of the late rows, None if they are only counted."""

    def drop_late(
        self, rows: pa.Table, is_late: Flags, times: Numbers, watermarks: Numbers | int, port: int = 0
    ) -> None:
        """Count the late rows of a table, and keep them if they are collected.

        Args:
            rows: Changes table of n rows.
            is_late: bool[n], whether each row is late.
            times: int64[n], milliseconds. Event time of each row. For a row with window columns, the last
                millisecond of its window. For an accumulator of a local phase, that of its slice.
            watermarks: int64[n], watermark in milliseconds when each row came. An int is that of all rows.
            port: Input that the rows come from.
        """
        count = int(np.count_nonzero(is_late))
        self.late += count
        if count and self.late_rows is not None:
            known = np.broadcast_to(np.asarray(watermarks, np.int64), len(times))[is_late]
            self.late_rows.add(LateTable(rows.filter(pa.array(is_late)), port, times[is_late], known))

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        """Process rows.

        Args:
            table: Changes table.
            port: Input that the rows come from.

        Returns:
            Messages for the next operator, in order.
        """
        return (table,)

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        """Process a watermark of one input.

        A micro-batch begins by repeating the last watermark of the micro-batch before, so that a new instance
        of the operator gets the current watermark.
        """
        return (watermark,)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        """Process rows and the watermarks among them.

        The default calls `changes` and `watermark` piece by piece. Override it to process them as one batch.
        """
        for piece in rows.pieces():
            if isinstance(piece, Watermark):
                yield from self.watermark(piece, port)
            else:
                yield from self.changes(piece, port)

    def ports(self, batch: PortBatch) -> Iterable[Message]:
        """Process the rows and watermarks of all inputs. Only an operator with several inputs gets this call.

        Raises:
            InternalError: The operator has one input.
        """
        raise InternalError(f"{type(self).__name__} has one input and got a batch of several")

    def barrier(self) -> Iterable[Message]:
        """End the micro-batch: send what is buffered and write the state."""
        return ()

    def end(self) -> Iterable[Message]:
        """End the input, and return the last messages. Called once in the life of a job, after a barrier."""
        return ()

    def next_timer(self) -> int | None:
        """Return the processing time of the next timer in milliseconds, None if no timer is set.

        At this time the operator has to run even if no input comes. Called after a barrier. The spec of an
        operator with timers returns True for `sets_timers`.
        """
        return None


def earliest(times: Iterable[int | None]) -> int | None:
    """Return the earliest timer, None if there is none."""
    return min((time for time in times if time is not None), default=None)


class RowOperator(Operator):
    """An operator with one input that sends at most one table for each input table, and buffers nothing."""

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        out = self.process(table)
        return (out,) if out.num_rows else ()

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return (rows.with_rows(self.process(rows.table)),)

    def process(self, changes: pa.Table) -> pa.Table:
        """Return the changes that the given changes cause."""
        return changes


class TwoInputOperator(Operator):
    """An operator with two inputs, port 0 and port 1. Its watermark is the lower of the two watermarks.

    It gets whole batches (`ports`). By default it processes the rows of port `first`, then those of the other
    port, then the last watermark of each port. Flink allows this, as it defines no order between inputs.

    Example:
        An operator that sends the rows of port 0 on and stores those of port 1:

        class Remember(TwoInputOperator):
            first = 1

            def changes(self, table, port=0):
                if port == 1:
                    self._state.put(...)
                    return ()
                return (table,)
    """

    first: int = 0
    """The port whose rows are processed first, as in the spec's `port_order`."""

    def __init__(self) -> None:
        self._watermarks = [MIN_WATERMARK, MIN_WATERMARK]
        self._passed = MIN_WATERMARK

    def ports(self, batch: PortBatch) -> Iterable[Message]:
        for port in (self.first, 1 - self.first):
            part = batch.inputs[port]
            if part is not None and part.table.num_rows:
                yield from self.changes(part.table, port)
        for port in (self.first, 1 - self.first):
            part = batch.inputs[port]
            if part is not None and len(part.times):
                last = Watermark(int(part.times[-1]), int(part.sequences[-1]), part.sub_sequence)
                yield from self.watermark(last, port)

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        self._watermarks[port] = max(self._watermarks[port], watermark.time)
        least = min(self._watermarks)
        if least <= self._passed:
            return ()
        self._passed = least
        return self.advance(replace(watermark, time=least))

    def advance(self, watermark: Watermark) -> Iterable[Message]:
        """Process a new watermark that both inputs have reached."""
        return (watermark,)
