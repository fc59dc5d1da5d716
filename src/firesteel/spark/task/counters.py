"""Counters of a task, and the packet that carries them to the driver."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from firesteel.runtime.dataflow.counters import ChainCounters, Counters
from firesteel.runtime.dataflow.packets import COUNTERS, FIRST, TO_DRIVER, Packet
from firesteel.runtime.state.size import StateSize


@dataclass
class TaskCounters:
    """Counters of one task in one micro-batch.

    Attributes:
        read: Rows read from sources that no packet carries yet.
        sent: Bytes of the rows that the chains have sent to other tasks or to sinks.
        watermark: Last watermark of a chain that no packet carries yet, in milliseconds; 0 for none.
        chains: Counters of the steps of each chain, by its number.
    """

    read: int = 0
    sent: int = 0
    watermark: int = 0
    chains: dict[int, ChainCounters] = field(default_factory=dict)

    def of_chain(self, chain: int, operators: int) -> ChainCounters:
        """Return the counters of a chain with this number of operators."""
        return self.chains.setdefault(chain, [Counters() for _ in range(operators + 2)])

    def take(self, packet: Packet) -> None:
        """Add the counters of an incoming packet."""
        self.read += packet.read
        self.watermark = max(self.watermark, packet.watermark)

    def attach(self, packets: Iterable[Packet]) -> Iterator[Packet]:
        """Yield the packets, then a packet with the chains' counters.

        The next packet also gets the pending counters.
        """
        for packet in packets:
            yield self._on(packet) if self.read or self.watermark else packet
        yield self._on(counters_packet(self.chains, self.sent))

    def _on(self, packet: Packet) -> Packet:
        carried = replace(
            packet, read=packet.read + self.read, watermark=max(packet.watermark, self.watermark)
        )
        self.read = self.watermark = 0
        return carried


@dataclass(frozen=True)
class StateSizes:
    """Sizes of the states of one key group in one stage.

    Attributes:
        stage: Number of the stage: that of its first chain.
        group: Key group.
        sizes: Sizes by the name of the state.
    """

    stage: int
    group: int
    sizes: Mapping[str, StateSize]


def counters_packet(chains: Mapping[int, ChainCounters], sent: int = 0) -> Packet:
    """Return the packet that carries the counters of chains to the driver. `sent` is a number of bytes."""
    payload = [[chain, [step.values() for step in steps]] for chain, steps in chains.items()]
    return Packet(0, FIRST, 0, 0, json.dumps([payload, [], sent]).encode(), COUNTERS, to=TO_DRIVER)


def with_state(packet: Packet, state: StateSizes) -> Packet:
    """Return a packet of counters that carries the sizes of states, too."""
    chains, _, sent = json.loads(packet.payload)
    sizes = [state.stage, state.group, dict(state.sizes)]
    return replace(packet, payload=json.dumps([chains, [sizes], sent]).encode())


def sent_bytes(packet: Packet) -> int:
    """Return the bytes of the rows that the task of a packet of counters has sent; 0 for other packets."""
    return int(json.loads(packet.payload)[2]) if packet.holds == COUNTERS else 0


def read_counters(packet: Packet) -> tuple[list[tuple[int, list[list[int]]]], list[StateSizes]]:
    """Return the counters and the sizes of states that a packet of counters carries.

    Returns:
        For each chain its number and the values of its steps. Then the sizes of states.
    """
    chains, states, _ = json.loads(packet.payload)
    found = [
        StateSizes(stage, group, {name: StateSize(*size) for name, size in sizes.items()})
        for stage, group, sizes in states
    ]
    return [(chain, steps) for chain, steps in chains], found
