"""Counters of a task, and the packet that carries them to the driver."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.runtime.dataflow.counters import ChainCounters, Counters
from firesteel.runtime.dataflow.hot_keys import Key, KeySketch
from firesteel.runtime.dataflow.packets import COUNTERS, FIRST, TO_DRIVER, Packet
from firesteel.runtime.state.size import StateSize


@dataclass
class TaskCounters:
    """Counters of one task in one micro-batch.

    Attributes:
        read: Number of rows read from sources that no packet has reported to the driver yet.
        sent: Bytes of the rows that the chains have sent to other tasks or to sinks.
        watermark: Highest watermark that no packet has reported yet, in milliseconds; 0 for none.
        chains: By the number of a chain, the counters of each of its steps: its input, its operators in
            order, and its output.
        keys: By (number of a keyed chain, port), the most frequent keys of the rows that are sent there.
    """

    read: int = 0
    sent: int = 0
    watermark: int = 0
    chains: dict[int, ChainCounters] = field(default_factory=dict)
    keys: dict[tuple[int, int], KeySketch] = field(default_factory=dict)

    def of_chain(self, chain: int, operators: int) -> ChainCounters:
        """Return the counters of a chain with this number of operators."""
        return self.chains.setdefault(chain, [Counters() for _ in range(operators + 2)])

    def sketch(self, chain: int, port: int, keys: Sequence[int]) -> KeySketch:
        """Return the counts of the most frequent keys of the rows that the task sends to a port of a chain.

        The first call for a port makes them.

        Args:
            chain: Number of the chain.
            port: The port.
            keys: Positions of the key fields in the rows.
        """
        return self.keys.setdefault((chain, port), KeySketch(keys))

    def take(self, packet: Packet) -> None:
        """Add the counters of an incoming packet."""
        self.read += packet.read
        self.watermark = max(self.watermark, packet.watermark)

    def attach(self, packets: Iterable[Packet]) -> Iterator[Packet]:
        """Yield the packets, then a packet with the chains' counters.

        The first packet takes over the task's `read` and `watermark`, which are then reset to 0.
        """
        for packet in packets:
            yield self._on(packet) if self.read or self.watermark else packet
        yield self._on(counters_packet(self.chains, self.sent, self.keys))

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
        sizes: By the name of a state, its number of entries, its bytes and the time of its oldest entry.
    """

    stage: int
    group: int
    sizes: Mapping[str, StateSize]


@dataclass(frozen=True)
class ReadKeys:
    """Frequent keys of the rows that one task has sent to a port of a chain.

    Attributes:
        chain: Number of the chain.
        port: The port.
        rows: Number of all rows that the task has sent to the port.
        keys: The keys, with the estimated number of rows of each.
    """

    chain: int
    port: int
    rows: int
    keys: Sequence[tuple[Key, int]]


def counters_packet(
    chains: Mapping[int, ChainCounters],
    sent: int = 0,
    keys: Mapping[tuple[int, int], KeySketch] | None = None,
) -> Packet:
    """Return the packet that carries the counters of chains to the driver.

    Args:
        chains: The counters of the steps of each chain.
        sent: Bytes of the rows that the task has sent.
        keys: Frequent keys of these rows, by chain and port.
    """
    steps = [[chain, [step.values() for step in steps]] for chain, steps in chains.items()]
    sketches = [
        [chain, port, each.rows, list(each.counts.items())]
        for (chain, port), each in (keys or {}).items()
        if not each.is_empty
    ]
    payload = json.dumps([steps, [], sent, sketches])
    return Packet(0, FIRST, 0, 0, payload.encode(), COUNTERS, to=TO_DRIVER)


def with_state(packet: Packet, state: StateSizes) -> Packet:
    """Return a packet of counters that carries the sizes of states, too."""
    chains, _, *rest = json.loads(packet.payload)
    sizes = [state.stage, state.group, dict(state.sizes)]
    return replace(packet, payload=json.dumps([chains, [sizes], *rest]).encode())


def sent_bytes(packet: Packet) -> int:
    """Return the bytes of the rows that the task of a packet of counters has sent; 0 for other packets."""
    return int(json.loads(packet.payload)[2]) if packet.holds == COUNTERS else 0


@dataclass(frozen=True)
class ReadCounters:
    """Counters of one task, as the driver reads them from a packet.

    Attributes:
        chains: One pair for each chain: its number, and for each of its steps the counters [rows_in,
            rows_out, busy, late] (Counters.values). The steps are its input, its operators in order, and its
            output.
        states: Sizes of the states, one item for each stage and key group in the packet.
        keys: Frequent keys, one item for each chain and port to which the task has sent rows.
    """

    chains: list[tuple[int, list[list[int]]]]
    states: list[StateSizes]
    keys: list[ReadKeys]


def read_counters(packet: Packet) -> ReadCounters:
    """Return the counters, the sizes of states and the frequent keys that a packet of counters carries."""
    chains, states, _, sketches = json.loads(packet.payload)
    return ReadCounters(
        [(chain, steps) for chain, steps in chains],
        [
            StateSizes(stage, group, {name: StateSize(*size) for name, size in sizes.items()})
            for stage, group, sizes in states
        ],
        [
            ReadKeys(chain, port, rows, [(tuple(key), count) for key, count in keys])
            for chain, port, rows, keys in sketches
        ],
    )
