"""Chain of operators at work, messages in and messages out. Both hosts run it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from firesteel.runtime.dataflow import operator_registry as registry
from firesteel.runtime.dataflow.operator import (
    Clock,
    Marked,
    Message,
    Operator,
    PortBatch,
    Watermark,
    earliest,
)
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.state.base import StateBackend


def wall_clock() -> int:
    """Return the time of day in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def standing_clock(now: int = 0) -> Clock:
    """Return a clock that always shows one time. So results do not depend on the speed of the machine.

    Args:
        now: The time in milliseconds, 0 for the time of this call.
    """
    at = now or wall_clock()
    return lambda: at


class Chain(Operator):
    """The operators of one chain, in order, with one instance for each task or key group.

    The messages of each operator go to the next one. A barrier or an end reaches an operator after all
    messages that it makes the operators before send. Ports are those of the first operator.
    """

    def __init__(self, operators: Sequence[Operator]) -> None:
        self._operators = operators

    @classmethod
    def of(cls, specs: Iterable[OperatorSpec], state: StateBackend | None, clock: Clock) -> Chain:
        """Return the chain of the operators that the specs describe."""
        return cls([registry.build(spec, state, clock) for spec in specs])

    @property
    def late(self) -> int:  # type: ignore[override]
        """Return the number of rows that the operators of the chain dropped because they came too late."""
        return sum(operator.late for operator in self._operators)

    def send(self, message: Message | PortBatch, port: int = 0) -> Iterator[Message]:
        """Process a message and yield what the last operator sends."""
        return self._through(0, message, port)

    def changes(self, table: pa.Table, port: int = 0) -> Iterator[Message]:
        return self.send(table, port)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterator[Message]:
        return self.send(mark, port)

    def marked(self, rows: Marked, port: int = 0) -> Iterator[Message]:
        return self.send(rows, port)

    def ports(self, batch: PortBatch) -> Iterator[Message]:
        return self.send(batch)

    def barrier(self) -> Iterator[Message]:
        for index, operator in enumerate(self._operators):
            for message in operator.barrier():
                yield from self._through(index + 1, message)

    def end(self) -> Iterator[Message]:
        for index, operator in enumerate(self._operators):
            for message in operator.end():
                yield from self._through(index + 1, message)

    def next_timer(self) -> int | None:
        return earliest(operator.next_timer() for operator in self._operators)

    def _through(self, start: int, message: Message | PortBatch, port: int = 0) -> Iterator[Message]:
        if start == len(self._operators):
            yield message
            return
        operator = self._operators[start]
        if isinstance(message, Watermark):
            given = operator.watermark(message, port)
        elif isinstance(message, Marked):
            given = operator.marked(message, port)
        elif isinstance(message, PortBatch):
            given = operator.ports(message)
        else:
            given = operator.changes(message, port)
        for one in given:
            yield from self._through(start + 1, one)
