"""What every operator is: it is driven by four messages, and passes on what it does not care about."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

MAX_WATERMARK = (1 << 63) - 1
"""The watermark of an input that has ended (Java's Long.MAX_VALUE)."""

MIN_WATERMARK = -(1 << 63)
"""The watermark of an input that has given none yet."""

Clock: TypeAlias = Callable[[], int]
"""Gives the processing time in milliseconds; within a micro-batch it stands still."""


@dataclass(frozen=True)
class Watermark:
    """No row with a time up to this one, in milliseconds, will come."""

    time: int


Message: TypeAlias = "pa.Table | Watermark"
"""What goes on: a changes table (runtime/spec.py), or a watermark."""


class Operator:
    """One step of a chain, made once per chain instance and given its input in order.

    What the output is may not depend on where the input is cut into tables. Rows keep the `$order` of the
    row that caused them. An operator of several inputs knows them by their ports.
    """

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        """Rows have come."""
        return (table,)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        """Event time has come this far, in this input."""
        return (mark,)

    def barrier(self) -> Iterable[Message]:
        """The micro-batch ends: what is held back goes on, and state is written."""
        return ()

    def end(self) -> Iterable[Message]:
        """The input ends, once in the life of a job; a barrier came before."""
        return ()


class RowOperator(Operator):
    """An operator of one input that answers each table with one, and holds nothing back."""

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        out = self.process(table)
        return (out,) if out.num_rows else ()

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes that these cause."""
        return changes


class TwoInputOperator(Operator):
    """An operator of two inputs, port 0 and port 1: event time is that of the input that is behind."""

    def __init__(self) -> None:
        self._marks = [MIN_WATERMARK, MIN_WATERMARK]
        self._passed = MIN_WATERMARK

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        self._marks[port] = max(self._marks[port], mark.time)
        least = min(self._marks)
        if least <= self._passed:
            return ()
        self._passed = least
        return self.advance(Watermark(least))

    def advance(self, mark: Watermark) -> Iterable[Message]:
        """Event time has come this far in both inputs."""
        return (mark,)
