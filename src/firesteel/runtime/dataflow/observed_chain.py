"""Chain whose messages an observer sees and may replace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Protocol, TypeAlias

from firesteel.runtime.dataflow.chain import Chain
from firesteel.runtime.dataflow.counters import Counters
from firesteel.runtime.dataflow.operator import Message, Operator, PortBatch

Received: TypeAlias = "Message | PortBatch"


class Observer(Protocol):
    """Receiver of all messages of the chains of a job.

    Each message has a position in its chain. It is the position of the operator that gets the message, from 0
    on. For a message that the last operator sends, it is the number of operators.
    """

    def message(self, chain: int, position: int, message: Received, port: int) -> Received:
        """Take a message, and return the message that the next operator gets in its place.

        Args:
            chain: Number of the chain.
            position: Position in the chain of the operator that gets the message (see `Observer`).
            message: The message.
            port: Input of the operator.
        """
        ...


class ObservedChain(Chain):
    """A chain that shows each message to its observer before an operator gets it.

    Args:
        operators: The operators.
        counters: Counters of the operators.
        observer: The observer.
        chain: Number of the chain.
    """

    def __init__(
        self, operators: Sequence[Operator], counters: Sequence[Counters], observer: Observer, chain: int
    ) -> None:
        super().__init__(operators, counters)
        self._notice: Callable[[int, Received, int], Received] = partial(observer.message, chain)

    def _through(self, start: int, message: Message | PortBatch, port: int = 0) -> Iterator[Message]:
        yield from super()._through(start, self._notice(start, message, port), port)
