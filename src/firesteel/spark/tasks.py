"""What a Spark task does, for both hosts: read a split or packets, run a chain, give packets.

Workers load this module, so it loads little: no Spark, no planner. The classes are pickled by name with
their fields; code that Spark would ship by value gets fresh globals for every task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from firesteel.connectors.base import Split
from firesteel.runtime.chain import Chain, Clock, is_keyed, wall_clock
from firesteel.runtime.packets import Packer, Packet, merge
from firesteel.runtime.spec import ChainSpec, ScanSpec, SinkSpec, ValuesSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.spark.errors import guarded

IN_WORKER = ("blackhole",)
"""Connectors whose rows are done with where they are made."""

Keyed = tuple[tuple[int, int], Packet]
"""A packet as an element of an RDD of pairs: ((target, order), packet)."""


@dataclass(frozen=True)
class Destination:
    """Where the packets of a chain go. keys: positions of the key fields, () for target 0. targets: how
    many there are. renumbers: the chain and its readers are keyed (runtime/packets.py). drops: nobody
    wants the rows, only their count."""

    keys: tuple[int, ...]
    targets: int
    renumbers: bool = False
    drops: bool = False

    def packer(self) -> Packer:
        return Packer(self.keys, self.targets, self.renumbers)


def destination(chain: ChainSpec, sink: SinkSpec, targets: int) -> Destination:
    """Where this chain's packets go, in a job with `targets` partitions or key groups."""
    if chain.partition_by is None:
        return Destination((), 1, drops=sink.connector in IN_WORKER)
    return Destination(chain.partition_by, targets, is_keyed(chain))


@dataclass(frozen=True)
class SourceTask:
    """Reads splits and runs the source chain over them."""

    chain: ChainSpec
    to: Destination

    def packets(self, splits: Iterable[Any]) -> Iterator[Packet]:
        """All packets of the splits, or an error in their place."""
        return guarded(lambda: self._read(splits))

    def keyed(self, splits: Iterable[Any]) -> Iterator[Keyed]:
        """The same as pairs, for a shuffle."""
        return ((_key(packet), packet) for packet in self.packets(splits))

    def _read(self, splits: Iterable[Any]) -> Iterator[Packet]:
        packer = self.to.packer()
        source = open_head(self.chain.head)
        for split in splits:
            chain = Chain(self.chain.operators, None, wall_clock)
            yield from send(chain.run(_counted(source.read(split), packer)), packer, self.to)
        yield from packer.flush()


@dataclass(frozen=True)
class KeyedTask:
    """Takes the packets of one target, by ascending order, and runs the keyed chain over them."""

    chain: ChainSpec
    to: Destination

    def packets(
        self, packets: Iterable[Packet], state: StateBackend | None, clock: Clock = wall_clock
    ) -> Iterator[Packet]:
        """All packets that these cause, or an error in their place. Errors that come in go on."""
        return guarded(lambda: self._run(packets, state, clock))

    def keyed(self, pairs: Iterable[Keyed]) -> Iterator[Keyed]:
        """One partition of the batch host; its operators keep their state in the process."""
        packets = (packet for _, packet in pairs)
        return ((_key(packet), packet) for packet in self.packets(packets, None))

    def _run(self, packets: Iterable[Packet], state: StateBackend | None) -> Iterator[Packet]:
        packer = self.to.packer()
        failures: list[Packet] = []
        chain = Chain(self.chain.operators, state, clock)
        changes = merge(_sound(packets, packer, failures))
        for packet in send(chain.run(changes), packer, self.to):
            if not failures:
                yield packet
        yield from failures or packer.flush()


def send(changes: Iterable[pa.Table], packer: Packer, to: Destination) -> Iterator[Packet]:
    """Give the changes to the packer and on, or, where nobody wants them, only their count."""
    for table in changes:
        if to.drops:
            yield Packet(0, 0, table.num_rows, 0, b"")
        else:
            yield from packer.add(table)


def open_head(head: Any) -> Any:
    """The source that a chain reads: a connector's, or literal rows."""
    if isinstance(head, ScanSpec):
        from firesteel.connectors.registry import connector

        return connector(head.connector).source(head)
    assert isinstance(head, ValuesSpec)
    from firesteel.runtime.literal_rows import LiteralRows

    return LiteralRows(head)


def bounded_splits(head: Any, parallelism: int, first: int = 0) -> list[Split]:
    """All splits of a bounded source, numbered from `first` in the order of the source."""
    if isinstance(head, ValuesSpec):
        return [Split(first, {})]
    splits = open_head(head).splits(parallelism)
    return [Split(first + i, split.data) for i, split in enumerate(splits)]


def _counted(batches: Iterable[pa.Table], packer: Packer) -> Iterator[pa.Table]:
    for changes in batches:
        packer.read += changes.num_rows
        yield changes


def _sound(packets: Iterable[Packet], packer: Packer, failures: list[Packet]) -> Iterator[Packet]:
    """The packets up to the first error, which goes to `failures`; counts of rows read go on."""
    for packet in packets:
        if packet.failed:
            failures.append(packet)
            return
        packer.read += packet.read
        yield packet


def _key(packet: Packet) -> tuple[int, int]:
    return packet.target, packet.order
