"""A task that runs the keyed chains of one stage over packets.

Workers import this module, so it imports neither Spark nor the planner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from firesteel.runtime.dataflow.packets import FAILURE, Packet
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.errors import guarded
from firesteel.spark.shipped_code import prepare_worker
from firesteel.spark.task.context import TaskContext, TaskId
from firesteel.spark.task.counters import TaskCounters
from firesteel.spark.task.fragment_runner import FragmentRunner
from firesteel.spark.task.shuffle import Keyed, keyed


@dataclass(frozen=True)
class StageTask:
    """A task that runs the fragments of one stage over the packets of one target.

    The packets come by ascending Position (packets.py), that is by the sequence of their first rows. Packets
    for other stages or for the driver pass through.
    """

    contexts: tuple[TaskContext, ...]

    def packets(
        self, packets: Iterable[Packet], state: StateBackend | None, task: TaskId
    ) -> Iterator[Packet]:
        """Yield the packets that result, and then a packet with the counters of this task.

        A FiresteelError becomes the last packet (spark/errors.py).

        Args:
            packets: The packets of one target, by ascending Position.
            state: State of the target's key group; None keeps state in this process.
            task: Identity of this task.
        """
        prepare_worker()
        counters = TaskCounters()
        return guarded(lambda: counters.attach(self._through(packets, state, task, counters)))

    def keyed(self, partition: int, pairs: Iterable[Keyed]) -> Iterator[Keyed]:
        """Run the stage over one partition of the batch host. Yield the resulting packets with their keys.

        The operators keep their state in this process.

        Args:
            partition: Number of the partition.
            pairs: The packets of the partition with their keys, by ascending position.
        """
        packets = (packet for _, packet in pairs)
        return keyed(self.packets(packets, None, TaskId(index=partition)))

    def at(self, now: int) -> StageTask:
        """Return a copy with another processing time, in milliseconds."""
        return StageTask(tuple(context.at(now) for context in self.contexts))

    @property
    def number(self) -> int:
        """Number that identifies the stage: that of its first chain."""
        return self.contexts[0].fragment.head.id

    def _through(
        self, packets: Iterable[Packet], state: StateBackend | None, task: TaskId, counters: TaskCounters
    ) -> Iterator[Packet]:
        contexts = {context.fragment.head.id: context for context in self.contexts}
        runners: dict[int, FragmentRunner] = {}
        for packet in packets:
            if packet.to not in contexts:
                yield packet
                if packet.holds == FAILURE:
                    return
                continue
            counters.take(packet)
            if packet.to not in runners:
                runners[packet.to] = FragmentRunner(contexts[packet.to], state, task, counters)
                yield from runners[packet.to].begin()
            yield from runners[packet.to].add(packet)
        for _, runner in sorted(runners.items()):
            yield from runner.finish()
