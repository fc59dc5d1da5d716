"""Runner of the chains of one task: messages enter the first chain, and packets leave the last ones.

A chain sends its messages to each of its outputs. A chain of the same task gets them directly. A chain after
an exchange gets them in packets. A sink gets packets, or the task writes to the sink itself (outputs.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from firesteel import process_cache
from firesteel.job.spec import ChainSpec, Output, Partitioning
from firesteel.runtime.dataflow.chain import Chain
from firesteel.runtime.dataflow.counters import ChainCounters
from firesteel.runtime.dataflow.observed_chain import ObservedChain
from firesteel.runtime.dataflow.operator import Clock, Message, PortBatch, earliest
from firesteel.runtime.dataflow.operator_registry import build
from firesteel.runtime.dataflow.packets import Packet
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.counters import TaskCounters
from firesteel.spark.task.late_rows import LateRowsOutput
from firesteel.spark.task.outputs import ChainOutput, terminal_output


class ChainRunner:
    """Runner of a chain, and of the chains after it in the same task.

    It makes a runner for each of these chains, and uses it as an output of its own chain.

    Args:
        context: Context of the task.
        chain: The chain.
        state: State of the task's key group, None for a chain without state.
        clock: Function that returns the processing time.
        id: Identity of the task. The chain number in it is ignored: that of `chain` takes its place.
        counters: Counters of the task.
    """

    def __init__(
        self, context: TaskContext, chain: ChainSpec, state: StateBackend | None, clock: Clock, id: TaskId,
        counters: TaskCounters,
    ) -> None:  # fmt: skip
        self._context = context
        self._state, self._clock = state, clock
        self._id = replace(id, chain=chain.id)
        self._task = counters
        self.counters: ChainCounters = counters.of_chain(chain.id, len(chain.operators))
        process_cache.enter(context.run)
        self._chain = self._operators(chain)
        self._late = LateRowsOutput.of(context, self._id, self._chain)
        self._runners: list[ChainRunner] = []
        self._outputs = [(self._output(output), output.port) for output in chain.outputs]

    def next_timer(self) -> int | None:
        """Return the processing time of the next timer in milliseconds, or None if there is no timer."""
        return earliest([self._chain.next_timer(), *(runner.next_timer() for runner in self._runners)])

    def send(self, message: Message | PortBatch, port: int = 0) -> Iterator[Packet]:
        return self._pass(self._chain.send(message, port))

    def barrier(self) -> Iterator[Packet]:
        yield from self._pass(self._chain.barrier())
        for output, _ in self._outputs:
            yield from output.barrier()

    def end(self) -> Iterator[Packet]:
        yield from self._pass(self._chain.end())
        for output, _ in self._outputs:
            yield from output.end()

    def close(self) -> Iterator[Packet]:
        self._chain.count_late()
        for output, _ in self._outputs:
            yield from output.close()
        yield from self._late.close()

    def finish(self, ends: bool) -> Iterator[Packet]:
        """End the micro-batch, and yield the last packets.

        Args:
            ends: Whether no rows will come in later micro-batches either. The operators then end, too.
        """
        yield from self.barrier()
        if ends:
            yield from self.end()
        yield from self.close()

    def _operators(self, chain: ChainSpec) -> Chain:
        observer, counters = self._context.observer, self.counters[1:-1]
        if observer is None:
            return Chain.of(chain.operators, self._state, self._clock, counters)
        operators = [build(spec, self._state, self._clock) for spec in chain.operators]
        return ObservedChain(operators, counters, observer, chain.id)

    def _output(self, output: Output) -> ChainOutput:
        if output.to < 0 or output.partitioning is not Partitioning.FORWARD:
            return terminal_output(self._context, output, self._id, self._task, self.counters[-1])
        behind = self._context.fragment.chain(output.to)
        runner = ChainRunner(self._context, behind, self._state, self._clock, self._id, self._task)
        self._runners.append(runner)
        return runner

    def _pass(self, messages: Iterable[Message]) -> Iterator[Packet]:
        for message in messages:
            for output, port in self._outputs:
                yield from output.send(message, port)
        yield from self._late.flush()
