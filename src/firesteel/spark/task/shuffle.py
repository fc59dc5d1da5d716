"""Packets as the batch host shuffles them: an RDD whose elements are (key, packet)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from firesteel.runtime.dataflow.packets import Packet, Position

Keyed: TypeAlias = "tuple[tuple[int, Position], Packet]"
"""A packet with its key: ((target, position), packet).

The target is the number of the partition that gets the packet. The position orders the packets of a partition
by their first rows.
"""


def keyed(packets: Iterable[Packet]) -> Iterator[Keyed]:
    """Yield each packet as ((target, position), packet)."""
    return (((packet.target, packet.first), packet) for packet in packets)


def target_of(key: tuple[int, Position]) -> int:
    """Return the target of a packet from its key."""
    return key[0]
