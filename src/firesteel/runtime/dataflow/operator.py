"""What every operator is: it is driven by four messages, and passes on what it does not care about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.errors import InternalError
from firesteel.runtime.dataflow.sequence import orders

MAX_WATERMARK = (1 << 63) - 1
"""The watermark of an input that has ended (Java's Long.MAX_VALUE)."""

MIN_WATERMARK = -(1 << 63)
"""The watermark of an input that has given none yet."""

Clock: TypeAlias = Callable[[], int]
"""Gives the processing time in milliseconds; within a micro-batch it stands still."""


LAST_ORDER = (1 << 62) - 1
"""`$order` of what the end of a micro-batch or of the input causes: behind that of all rows."""


BEFORE_ALL = -1
"""`$order` of the watermark with which a micro-batch begins: the one with which the last one ended."""


@dataclass(frozen=True)
class Watermark:
    """No row with a time up to this one, in milliseconds, will come.

    order, place: the cause of what it causes (runtime/dataflow/sequence.py). It stands behind all rows of
    that order, and its place is not below any of theirs.
    """

    time: int
    order: int = LAST_ORDER
    place: int = 0


@dataclass(frozen=True)
class Marked:
    """Rows and the watermarks that came among them, in columns: what many short tables with a watermark
    behind each would say.

    table: a changes table by `$order`. times, orders: int64[m], ascending: watermark i stands behind the rows
    up to and with `$order` orders[i]. place: that of all of them.
    """

    table: pa.Table
    times: NDArray[np.int64]
    orders: NDArray[np.int64]
    place: int = 0

    @property
    def at(self) -> NDArray[np.int64]:
        """int64[m]: how many of the rows come before each watermark."""
        return np.searchsorted(orders(self.table), self.orders, side="right")

    def with_rows(self, table: pa.Table) -> Marked:
        """The same watermarks among the rows that these have caused."""
        return replace(self, table=table)

    def pieces(self) -> Iterator[pa.Table | Watermark]:
        """One message after the other."""
        start = 0
        for time, order, end in zip(self.times.tolist(), self.orders.tolist(), self.at.tolist(), strict=True):
            if end > start:
                yield self.table.slice(start, end - start)
                start = end
            yield Watermark(time, order, self.place)
        if start < self.table.num_rows:
            yield self.table.slice(start)


@dataclass(frozen=True)
class PortBatch:
    """Rows and watermarks of all inputs of an operator, released together.

    Attributes:
        inputs: For each port its rows with the watermarks among them, or None if the port has neither.
            The rows of a port are sorted by `$order`. The rows of different ports are not interleaved: an
            operator takes one port after the other, in the order that its spec names (`port_order`).
    """

    inputs: tuple[Marked | None, ...]


Message: TypeAlias = "pa.Table | Watermark | Marked"
"""What an operator sends on: a changes table (runtime/spec/operators.py), a watermark, or both in one."""


class Operator:
    """One step of a chain, made once per chain instance and given its input in order.

    What the output is may not depend on where the input is cut into tables. Rows keep the `$order` of the
    row that caused them. An operator of several inputs knows them by their ports.
    """

    late: int = 0
    """How many rows it has dropped because they came too late (Flink: numLateRecordsDropped)."""

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        """Rows have come."""
        return (table,)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        """Event time has come this far, in this input. A micro-batch begins with the one that the last one
        ended with, so an operator that was made anew knows it."""
        return (mark,)

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        """Rows have come with watermarks among them; who can take them at once says how."""
        for piece in rows.pieces():
            if isinstance(piece, Watermark):
                yield from self.watermark(piece, port)
            else:
                yield from self.changes(piece, port)

    def ports(self, batch: PortBatch) -> Iterable[Message]:
        """Process the rows and watermarks of all inputs. Only an operator of several inputs gets them.

        Raises:
            InternalError: The operator has one input.
        """
        raise InternalError(f"{type(self).__name__} has one input and got a batch of several")

    def barrier(self) -> Iterable[Message]:
        """The micro-batch ends: what is held back goes on, and state is written."""
        return ()

    def end(self) -> Iterable[Message]:
        """The input ends, once in the life of a job; a barrier came before."""
        return ()

    def next_timer(self) -> int | None:
        """The processing time at which it has something to do though nothing comes, None for never. Asked
        behind a barrier; who may have such a timer says so in its spec (`sets_timers`)."""
        return None


def earliest(times: Iterable[int | None]) -> int | None:
    """The first of some timers, None where there is none."""
    return min((time for time in times if time is not None), default=None)


class RowOperator(Operator):
    """An operator of one input that answers each table with one, and holds nothing back."""

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        out = self.process(table)
        return (out,) if out.num_rows else ()

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        return (rows.with_rows(self.process(rows.table)),)

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes that these cause."""
        return changes


class TwoInputOperator(Operator):
    """An operator of two inputs, port 0 and port 1. Its event time is that of the input that is behind.

    It gets whole batches (`ports`). By default the first port's rows are processed, then the other's, then
    the watermark advances. That is one of the interleavings that Flink allows: between inputs it defines no
    order.

    Example, an operator that lets the rows of port 0 pass and remembers those of port 1:

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
        self._marks = [MIN_WATERMARK, MIN_WATERMARK]
        self._passed = MIN_WATERMARK

    def ports(self, batch: PortBatch) -> Iterable[Message]:
        for port in (self.first, 1 - self.first):
            part = batch.inputs[port]
            if part is not None and part.table.num_rows:
                yield from self.changes(part.table, port)
        for port in (self.first, 1 - self.first):
            part = batch.inputs[port]
            if part is not None and len(part.times):
                last = Watermark(int(part.times[-1]), int(part.orders[-1]), part.place)
                yield from self.watermark(last, port)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        self._marks[port] = max(self._marks[port], mark.time)
        least = min(self._marks)
        if least <= self._passed:
            return ()
        self._passed = least
        return self.advance(replace(mark, time=least))

    def advance(self, mark: Watermark) -> Iterable[Message]:
        """Event time has come this far in both inputs."""
        return (mark,)
