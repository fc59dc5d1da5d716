"""A task's chains at work: messages go in at the first, packets come out at their ends.

A chain hands what it gives to each of its outputs: to a chain of the same task at once, to those behind an
exchange in packets, to a sink in packets or, where the sink's connector writes in tasks, by writing it.
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
    """Which task it is: the number of its micro-batch, its chain, and its own among the chain's tasks.
    channel: that of its watermarks, among the chain's (job/watermark_routing.py)."""

    batch: int = 0
    chain: int = 0
    index: int = 0
    channel: int = 0

    @property
    def number(self) -> int:
        """The task's among all of the micro-batch: Spark's own numbers of tasks take 31 bits."""
        return (self.chain << 32) + self.index


@dataclass(frozen=True)
class Work:
    """What the tasks of a fragment are told. targets: how many partitions or key groups an exchange by key
    has. places: bits for those that changes of one cause get there (runtime/dataflow/sequence.py). now: the
    job's processing time in milliseconds, 0 for that at which a task begins. ends: whether the input ends
    with the micro-batch. job: its name at sinks. marked: the chains of the job that get watermarks, and
    channels: by port those of the fragment's first chain. mark_place: of what a watermark causes, behind that
    of rows. woken: who in the job has timers of processing time."""

    fragment: Fragment
    targets: int = 1
    places: int = 0
    now: int = 0
    ends: bool = False
    job: str = ""
    marked: frozenset[int] = frozenset()
    channels: ByPort = ()
    mark_place: int = 0
    woken: Woken = ()

    def at(self, now: int) -> Work:
        """The same at a processing time."""
        return replace(self, now=now)


Works = list[tuple[Work, ...]]
"""By stage."""


def works_of(
    job: JobSpec, common: Work, stages: Sequence[Sequence[Fragment]],
    of_source: Callable[[ScanSpec | ValuesSpec], Sequence[int]], taken: int = 0,
) -> Works:  # fmt: skip
    """Those of each stage's fragments; `common` says what all share. of_source: the channels of a source.
    taken: bits of the places that rows have where they are read (runtime/dataflow/sequence.py)."""
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
    """What packets tell for progress: rows read, and the last watermark that a chain gave."""

    read: int = 0
    mark: int = 0

    def take(self, packet: Packet) -> None:
        """Have what a packet tells told by the next."""
        self.read += packet.read
        self.mark = max(self.mark, packet.mark)

    def told(self, packets: Iterable[Packet]) -> Iterator[Packet]:
        """The packets, the next one after a count with that count; one more where none comes."""
        for packet in packets:
            yield self._on(packet) if self.read or self.mark else packet
        if self.read or self.mark:
            yield self._on(Packet(0, FIRST, 0, 0, b"", to=TO_DRIVER))

    def _on(self, packet: Packet) -> Packet:
        told = replace(packet, read=packet.read + self.read, mark=max(packet.mark, self.mark))
        self.read = self.mark = 0
        return told


class Outlet(Protocol):
    """Where messages go that a chain gave. `close` comes last, once a task and micro-batch."""

    def send(self, message: Message, port: int = 0) -> Iterator[Packet]: ...

    def barrier(self) -> Iterator[Packet]: ...

    def end(self) -> Iterator[Packet]: ...

    def close(self) -> Iterator[Packet]: ...


class Flow:
    """A chain and what is behind it in the same task; an Outlet itself."""

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
        """How many rows were dropped because they came too late."""
        behind = (outlet for outlet, _ in self._outlets if isinstance(outlet, Flow))
        return self._chain.late + sum(flow.late for flow in behind)

    def next_timer(self) -> int | None:
        """The processing time of the next timer, None for none."""
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
        """The micro-batch ends, and where `ends` says so the input."""
        yield from self.barrier()
        if ends:
            yield from self.end()
        yield from self.close()

    def _pass(self, messages: Iterable[Message]) -> Iterator[Packet]:
        for message in messages:
            for outlet, port in self._outlets:
                yield from outlet.send(message, port)


class _End:
    """An Outlet where a task ends."""

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
        """Watermarks, which for progress are counted."""
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
    """To other tasks, or to the driver."""

    def __init__(self, packer: Packer, counts: Counts, sink: SinkSpec | None = None) -> None:
        super().__init__(counts)
        self._packer = packer
        self._constraints = None if sink is None else sink.constraints

    def rows(self, changes: pa.Table) -> Iterator[Packet]:
        return iter(self._packer.add(_enforced(changes, self._constraints)))

    def marks(self, orders: Numbers, times: Numbers) -> None:
        super().marks(orders, times)
        new = orders > BEFORE_ALL  # who gets packets keeps what it got
        self._packer.mark(orders[new], times[new])

    def close(self) -> Iterator[Packet]:
        return iter(self._packer.flush())


class _Written(_End):
    """To a sink, by this task."""

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
    """A sink that commits on the driver shows nothing before, so the task itself writes; one that commits in
    its tasks waits until all others are done."""
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
