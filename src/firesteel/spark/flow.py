"""Execution of the chains of one task: messages enter the first chain, and packets leave the last ones.

A chain sends its messages to each of its outputs. A chain of the same task gets them directly. A chain behind
an exchange gets them in packets. A sink gets packets, or the task writes to the sink itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from firesteel.connectors.base import Commits
from firesteel.connectors.registry import open_sink
from firesteel.job.spec import ChainSpec, JobSpec, Output, Partitioning, sink_id
from firesteel.job.timer_routing import Woken, woken
from firesteel.job.topology import Fragment
from firesteel.job.watermark_routing import ByPort, MarkPaths, channel_id
from firesteel.runtime.dataflow.chain import Chain
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MAX_WATERMARK,
    Clock,
    Marked,
    Message,
    PortBatch,
    Watermark,
    earliest,
)
from firesteel.runtime.dataflow.packets import FIRST, TO_DRIVER, WRITTEN, Packer, Packet
from firesteel.runtime.dataflow.sequence import Numbers, last_place
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.sink_task import job_of
from firesteel.types.constraints import Constraints


@dataclass(frozen=True)
class TaskId:
    """Identity of a task within a job."""

    batch: int = 0
    """Number of the micro-batch."""
    chain: int = 0
    """Number of the chain."""
    index: int = 0
    """Number of the task among the tasks of its chain, below 2^31."""
    channel: int = 0
    """Channel of the task's watermarks, among those of the chain (job/watermark_routing.py)."""

    @property
    def number(self) -> int:
        """Number of the task among all tasks of the micro-batch. The lower 32 bits are `index`."""
        return (self.chain << 32) + self.index


@dataclass(frozen=True)
class Work:
    """Static context shared by the tasks of a fragment."""

    fragment: Fragment
    """The chains that share a task."""
    targets: int = 1
    """Number of partitions or key groups of an exchange by key."""
    places: int = 0
    """Bits of the place that changes with one cause get at an exchange (runtime/dataflow/sequence.py)."""
    now: int = 0
    """Processing time of the job in milliseconds; 0 means the time at which a task begins."""
    ends: bool = False
    """Whether the input ends with this micro-batch."""
    job: str = ""
    """Name of the job at its sinks."""
    marked: frozenset[int] = frozenset()
    """Numbers of the job's chains that get watermarks."""
    channels: ByPort = ()
    """Watermark channels of the fragment's first chain, by port."""
    mark_place: int = 0
    """Place of changes that a watermark causes; it is behind the places of rows."""
    woken: Woken = ()
    """The chains of the job that have processing-time timers, each with its number of targets."""

    def at(self, now: int) -> Work:
        """Return a copy with another processing time, in milliseconds."""
        return replace(self, now=now)


Works = list[tuple[Work, ...]]
"""Contexts of the fragments of each stage."""


def works_of(
    job: JobSpec, common: Work, stages: Sequence[Sequence[Fragment]],
    of_source: Callable[[ScanSpec | ValuesSpec], Sequence[int]], taken: int = 0,
) -> Works:  # fmt: skip
    """Return the contexts of the fragments of each stage.

    Args:
        job: The job.
        common: A context whose other fields all fragments share.
        stages: The fragments of each stage.
        of_source: Returns the watermark channels of a source.
        taken: Bits of the places that rows have when they are read (runtime/dataflow/sequence.py).
    """
    paths = MarkPaths.of(job)
    common = replace(common, marked=paths.marked, woken=woken(job, paths, common.targets))
    return [
        tuple(
            replace(
                common,
                fragment=fragment,
                channels=paths.channels(job, fragment.head, common.targets, of_source),
                mark_place=last_place(number, common.places, taken),
            )
            for fragment in stage
        )
        for number, stage in enumerate(stages)
    ]


@dataclass
class Counts:
    """Counters for the job's progress that the next packet carries to the driver."""

    read: int = 0
    """Rows read."""
    mark: int = 0
    """Last watermark of a chain, in milliseconds; 0 for none."""

    def take(self, packet: Packet) -> None:
        """Add the counters of an incoming packet."""
        self.read += packet.read
        self.mark = max(self.mark, packet.mark)

    def told(self, packets: Iterable[Packet]) -> Iterator[Packet]:
        """Yield the packets, with the pending counters added to the next one.

        If counters are pending after the last packet, one more packet carries them to the driver.
        """
        for packet in packets:
            yield self._on(packet) if self.read or self.mark else packet
        if self.read or self.mark:
            yield self._on(Packet(0, FIRST, 0, 0, b"", to=TO_DRIVER))

    def _on(self, packet: Packet) -> Packet:
        told = replace(packet, read=packet.read + self.read, mark=max(packet.mark, self.mark))
        self.read = self.mark = 0
        return told


class Outlet(Protocol):
    """Receiver of the messages of a chain. `close` is called last, once for each task and micro-batch."""

    def send(self, message: Message, port: int = 0) -> Iterator[Packet]: ...

    def barrier(self) -> Iterator[Packet]: ...

    def end(self) -> Iterator[Packet]: ...

    def close(self) -> Iterator[Packet]: ...


class Flow:
    """A chain and the chains behind it in the same task. It is an Outlet of the chain before it."""

    def __init__(
        self, work: Work, chain: ChainSpec, state: StateBackend | None, clock: Clock, task: TaskId,
        counts: Counts,
    ) -> None:  # fmt: skip
        self._chain = Chain.of(chain.operators, state, clock)
        self._outlets: list[tuple[Outlet, int]] = []
        task = replace(task, chain=chain.id)
        for output in chain.outputs:
            made: Outlet
            if output.to < 0:
                made = _to_sink(work, output, task, counts)
            elif output.partitioning is Partitioning.FORWARD:
                behind = work.fragment.chain(output.to)
                made = Flow(work, behind, state, clock, task, counts)
            else:
                made = _Packets(_packer(work, output, task), counts)
            self._outlets.append((made, output.port))

    @property
    def late(self) -> int:
        """Number of rows dropped because they were late."""
        behind = (outlet for outlet, _ in self._outlets if isinstance(outlet, Flow))
        return self._chain.late + sum(flow.late for flow in behind)

    def next_timer(self) -> int | None:
        """Return the processing time of the next timer in milliseconds, or None if there is no timer."""
        behind = (outlet for outlet, _ in self._outlets if isinstance(outlet, Flow))
        return earliest([self._chain.next_timer(), *(flow.next_timer() for flow in behind)])

    def send(self, message: Message | PortBatch, port: int = 0) -> Iterator[Packet]:
        return self._pass(self._chain.send(message, port))

    def barrier(self) -> Iterator[Packet]:
        yield from self._pass(self._chain.barrier())
        for outlet, _ in self._outlets:
            yield from outlet.barrier()

    def end(self) -> Iterator[Packet]:
        yield from self._pass(self._chain.end())
        for outlet, _ in self._outlets:
            yield from outlet.end()

    def close(self) -> Iterator[Packet]:
        for outlet, _ in self._outlets:
            yield from outlet.close()

    def finish(self, ends: bool) -> Iterator[Packet]:
        """End the micro-batch, and if `ends` is true also the input. Yield the last packets."""
        yield from self.barrier()
        if ends:
            yield from self.end()
        yield from self.close()

    def _pass(self, messages: Iterable[Message]) -> Iterator[Packet]:
        for message in messages:
            for outlet, port in self._outlets:
                yield from outlet.send(message, port)


class _End:
    """An Outlet whose messages leave the task."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts

    def send(self, message: Message, port: int = 0) -> Iterator[Packet]:
        if isinstance(message, Watermark):
            self.marks(np.array([message.order]), np.array([message.time]))
            return iter(())
        if isinstance(message, Marked):
            packets = self.rows(message.table)
            self.marks(message.orders, message.times)
            return packets
        return self.rows(message)

    def rows(self, changes: pa.Table) -> Iterator[Packet]:
        return iter(())

    def marks(self, orders: Numbers, times: Numbers) -> None:
        """Record the last watermark for the job's progress. MAX_WATERMARK, the end of input, is left out."""
        told = times[times != MAX_WATERMARK]
        if len(told):
            self._counts.mark = max(self._counts.mark, int(told[-1]))

    def barrier(self) -> Iterator[Packet]:
        return iter(())

    def end(self) -> Iterator[Packet]:
        return iter(())

    def close(self) -> Iterator[Packet]:
        return iter(())


class _Packets(_End):
    """An Outlet that packs messages for other tasks or for the driver."""

    def __init__(self, packer: Packer, counts: Counts, sink: SinkSpec | None = None) -> None:
        super().__init__(counts)
        self._packer = packer
        self._constraints = None if sink is None else sink.constraints

    def rows(self, changes: pa.Table) -> Iterator[Packet]:
        return iter(self._packer.add(_enforced(changes, self._constraints)))

    def marks(self, orders: Numbers, times: Numbers) -> None:
        super().marks(orders, times)
        new = orders > BEFORE_ALL  # receivers persist watermarks, so only new ones are sent
        self._packer.mark(orders[new], times[new])

    def close(self) -> Iterator[Packet]:
        return iter(self._packer.flush())


class _Written(_End):
    """An Outlet that writes rows to a sink within this task."""

    def __init__(self, work: Work, number: int, task: TaskId, counts: Counts) -> None:
        super().__init__(counts)
        self._constraints = work.fragment.sinks[number].constraints
        self._sink = open_sink(work.fragment.sinks[number])
        self._sink.open_task(job_of(work.job, number), task.batch, task.number)
        self._to = sink_id(number)
        self._rows = 0

    def rows(self, changes: pa.Table) -> Iterator[Packet]:
        changes = _enforced(changes, self._constraints)
        self._rows += changes.num_rows
        self._sink.write(changes)
        return iter(())

    def close(self) -> Iterator[Packet]:
        token = self._sink.close_task().encode()
        yield Packet(0, FIRST, self._rows, 0, token, WRITTEN, to=self._to)


def _packer(work: Work, output: Output, task: TaskId) -> Packer:
    targets = work.targets if output.keys else 1
    channel = channel_id(task.chain, task.channel) if output.to in work.marked else None
    return Packer(
        output.keys, targets, work.places, task.number, output.to, output.port, channel=channel
    )  # fmt: skip


def _to_sink(work: Work, output: Output, task: TaskId, counts: Counts) -> Outlet:
    """Return the Outlet to a sink.

    If the sink commits on the driver, this task writes, because nothing shows before the commit. If the sink
    commits in tasks, packets go to its own tasks, which begin after all other tasks.
    """
    number = sink_id(output.to)
    spec = work.fragment.sinks[number]
    sink = None if spec.connector is None else open_sink(spec)
    if sink is None or sink.on_driver:
        return _Packets(Packer((), 1, 0, task.number, output.to), counts, spec)
    if sink.commits is Commits.DRIVER:
        return _Written(work, number, task, counts)
    home = task.index % work.targets
    packer = Packer(spec.primary_key, work.targets, 0, task.number, output.to, home=home)
    return _Packets(packer, counts, spec)


def _enforced(changes: pa.Table, constraints: Constraints | None) -> pa.Table:
    if constraints is None:
        return changes
    from firesteel.runtime.operators.sink.constraint_checks import enforce

    return enforce(changes, constraints)
