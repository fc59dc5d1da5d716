"""Chain of running operators: it gets messages and yields messages. The batch and the stream host run it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import pyarrow as pa

from firesteel.runtime.dataflow import operator_registry as registry
from firesteel.runtime.dataflow.counters import Counters, rows_of
from firesteel.runtime.dataflow.late_rows import LateRows
from firesteel.runtime.dataflow.operator import (
    Clock,
    Message,
    Operator,
    PortBatch,
    Watermark,
    WatermarkedBatch,
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

    The messages of each operator go to the next one. A barrier first reaches the first operator, which may
    send messages. They pass through the rest of the chain. Only then the second operator gets the barrier,
    and so on. The end of the input passes the operators in the same way.
    Ports are those of the first operator.
    """

    def __init__(self, operators: Sequence[Operator], counters: Sequence[Counters] = ()) -> None:
        self._operators = operators
        self._counters = counters or [Counters() for _ in operators]

    @classmethod
    def of(
        cls, specs: Iterable[OperatorSpec], state: StateBackend | None, clock: Clock,
        counters: Sequence[Counters] = (),
    ) -> Chain:  # fmt: skip
        """Return the chain of the operators that the specs describe.

        Args:
            specs: Settings of the operators, in order.
            state: State of the key group, None for operators without state.
            clock: Processing time.
            counters: Counters of the operators, () for new ones.
        """
        return cls([registry.build(spec, state, clock) for spec in specs], counters)

    @property
    def late(self) -> int:  # type: ignore[override]
        """Return the number of rows that the operators of the chain dropped because they came too late."""
        return sum(operator.late for operator in self._operators)

    def collect_late(self, operator: int) -> LateRows:
        """Make the operator at position `operator` collect its late rows, and return the collector."""
        found = self._operators[operator].late_rows = LateRows()
        return found

    def count_late(self) -> None:
        """Set the counter of late rows of each operator (Counters.late)."""
        for operator, counters in zip(self._operators, self._counters, strict=True):
            counters.late = operator.late

    def send(self, message: Message | PortBatch, port: int = 0) -> Iterator[Message]:
        """Process a message, and yield the messages of the last operator."""
        return self._through(0, message, port)

    def changes(self, table: pa.Table, port: int = 0) -> Iterator[Message]:
        return self.send(table, port)

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterator[Message]:
        return self.send(watermark, port)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterator[Message]:
        return self.send(rows, port)

    def ports(self, batch: PortBatch) -> Iterator[Message]:
        return self.send(batch)

    def barrier(self) -> Iterator[Message]:
        for index, operator in enumerate(self._operators):
            for message in self._counters[index].measure(operator.barrier):
                yield from self._through(index + 1, message)

    def end(self) -> Iterator[Message]:
        for index, operator in enumerate(self._operators):
            for message in self._counters[index].measure(operator.end):
                yield from self._through(index + 1, message)

    def next_timer(self) -> int | None:
        return earliest(operator.next_timer() for operator in self._operators)

    def _through(self, start: int, message: Message | PortBatch, port: int = 0) -> Iterator[Message]:
        if start == len(self._operators):
            assert not isinstance(message, PortBatch)
            yield message
            return
        counters = self._counters[start]
        counters.rows_in += rows_of(message)
        for one in counters.measure(_step(self._operators[start], message, port)):
            yield from self._through(start + 1, one)


def _step(operator: Operator, message: Message | PortBatch, port: int) -> Callable[[], Iterable[Message]]:
    """Return the call of an operator that processes a message."""
    if isinstance(message, Watermark):
        return partial(operator.watermark, message, port)
    if isinstance(message, WatermarkedBatch):
        return partial(operator.watermarked, message, port)
    if isinstance(message, PortBatch):
        return partial(operator.ports, message)
    return partial(operator.changes, message, port)
