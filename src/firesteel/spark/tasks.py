"""What a Spark task does, for both hosts: read a split or packets, run a chain, give packets.

Workers load this module, so it loads little: no Spark, no planner. The classes are pickled by name with
their fields; code that Spark would ship by value gets fresh globals for every task.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pyarrow as pa

from firesteel.connectors.base import Split
from firesteel.connectors.registry import connector
from firesteel.runtime.chain import Chain, Clock, changes_a_row, wall_clock
from firesteel.runtime.packets import FAILURE, FIRST, STATE, WRITTEN, Packer, Packet, merge
from firesteel.runtime.spec import ChainSpec, ScanSpec, SinkSpec, ValuesSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.errors import guarded
from firesteel.types.constraints import Constraints

Keyed = tuple[tuple[int, int], Packet]
"""A packet as an element of an RDD of pairs: ((target, order), packet)."""

_PLACE_BITS = 16


@dataclass(frozen=True)
class Place:
    """Where a task stands: the number of its micro-batch, and its own among the tasks of its chain."""

    batch: int = 0
    task: int = 0


@dataclass(frozen=True)
class Destination:
    """Where the output of a chain goes. keys: positions of the key fields, () for target 0. targets: how
    many there are. changes_a_row: at most (runtime/packets.py). sink: written to by the task itself.
    constraints: what a sink demands of rows, checked before they leave the task."""

    keys: tuple[int, ...] = ()
    targets: int = 1
    changes_a_row: int = 1
    sink: SinkSpec | None = None
    constraints: Constraints | None = None

    def packer(self) -> Packer:
        return Packer(self.keys, self.targets, self.changes_a_row)

    def send(self, changes: Iterable[pa.Table], packer: Packer, place: Place) -> Iterator[Packet]:
        """The packets that are left of a task's output."""
        if self.constraints is not None:
            from firesteel.runtime.constraint_enforcer import enforced

            changes = enforced(changes, self.constraints)
        if self.sink is None:
            for table in changes:
                yield from packer.add(table)
            yield from packer.flush()
            return
        assert self.sink.connector is not None
        counts: list[int] = []
        written = connector(self.sink.connector).sink(self.sink).write(
            _counting(changes, counts), place.batch, place.task
        )  # fmt: skip
        yield Packet(0, FIRST, sum(counts), packer.take_read(), json.dumps(written).encode(), WRITTEN)


def destination(chain: ChainSpec, sink: SinkSpec, targets: int) -> Destination:
    """Where this chain's output goes, in a job with `targets` partitions or key groups."""
    if chain.partition_by is not None:
        return Destination(chain.partition_by, targets, changes_a_row(chain))
    if sink.connector is None or connector(sink.connector).sink(sink).on_driver:
        return Destination(constraints=sink.constraints)
    return Destination(sink=sink, constraints=sink.constraints)


@dataclass(frozen=True)
class SourceTask:
    """Reads splits and runs the source chain over them."""

    chain: ChainSpec
    to: Destination

    def packets(self, splits: Iterable[Split], batch: int = 0) -> Iterator[Packet]:
        """All packets of the splits, or an error in their place."""
        for split in splits:
            yield from guarded(partial(self._read, split, Place(batch, split.ordinal)))

    def keyed(self, splits: Iterable[Split]) -> Iterator[Keyed]:
        """The same as pairs, for a shuffle."""
        return ((_key(packet), packet) for packet in self.packets(splits))

    def _read(self, split: Split, place: Place) -> Iterator[Packet]:
        packer = self.to.packer()
        chain = Chain(self.chain.operators, None, wall_clock)
        changes = chain.run(_reading(open_head(self.chain.head).read(split), packer))
        yield from self.to.send(changes, packer, place)


@dataclass(frozen=True)
class KeyedTask:
    """Takes the packets of one target, by ascending order, and runs the keyed chain over them."""

    chain: ChainSpec
    to: Destination

    def packets(
        self, packets: Iterable[Packet], state: StateBackend | None, clock: Clock, place: Place
    ) -> Iterator[Packet]:
        """All packets that these cause, or an error in their place. Errors and sizes of states that come in
        go on."""
        place = replace(place, task=(self.chain.id << _PLACE_BITS) + place.task)
        return guarded(partial(self._run, packets, state, clock, place))

    def keyed(self, partition: int, pairs: Iterable[Keyed]) -> Iterator[Keyed]:
        """One partition of the batch host; its operators keep their state in the process."""
        packets = (packet for _, packet in pairs)
        out = self.packets(packets, None, wall_clock, Place(task=partition))
        return ((_key(packet), packet) for packet in out)

    def _run(
        self, packets: Iterable[Packet], state: StateBackend | None, clock: Clock, place: Place
    ) -> Iterator[Packet]:
        packer = self.to.packer()
        failures: list[Packet] = []
        sizes: list[Packet] = []
        chain = Chain(self.chain.operators, state, clock)
        changes = chain.run(merge(_sound(packets, packer, failures, sizes)))
        for packet in self.to.send(changes, packer, place):
            if not failures:
                yield packet
        yield from failures or sizes


def state_size(chain: ChainSpec, group: int, entries: int) -> Packet:
    """What tells the driver of the state of a chain and a key group."""
    return Packet(0, FIRST, 0, 0, json.dumps([chain.id, group, entries]).encode(), STATE)


def open_head(head: Any) -> Any:
    """The source that a chain reads: a connector's, or literal rows."""
    if isinstance(head, ScanSpec):
        return connector(head.connector).source(head)
    assert isinstance(head, ValuesSpec)
    from firesteel.spark.literal_rows import LiteralRows

    return LiteralRows(head)


def bounded_splits(head: Any, parallelism: int, first: int = 0) -> list[Split]:
    """All splits of a bounded source, numbered from `first` in the order of the source."""
    if isinstance(head, ValuesSpec):
        return [Split(first, {})]
    splits = open_head(head).splits(parallelism)
    return [Split(first + i, split.data) for i, split in enumerate(splits)]


def _reading(batches: Iterable[pa.Table], packer: Packer) -> Iterator[pa.Table]:
    for changes in batches:
        packer.read += changes.num_rows
        yield changes


def _counting(batches: Iterable[pa.Table], counts: list[int]) -> Iterator[pa.Table]:
    for changes in batches:
        counts.append(changes.num_rows)
        yield changes


def _sound(
    packets: Iterable[Packet], packer: Packer, failures: list[Packet], sizes: list[Packet]
) -> Iterator[Packet]:
    """The packets up to the first error, which goes to `failures`; counts of rows read go on."""
    for packet in packets:
        if packet.holds == STATE:
            sizes.append(replace(packet, target=0))
            continue
        if packet.holds == FAILURE:
            failures.append(replace(packet, target=0))
            return
        packer.read += packet.read
        yield packet


def _key(packet: Packet) -> tuple[int, int]:
    return packet.target, packet.order


def target_of(key: tuple[int, int]) -> int:
    """The target of a packet, from its key."""
    return key[0]
