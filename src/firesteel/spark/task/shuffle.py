"""Packets as the batch host shuffles them: elements of an RDD of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from firesteel.runtime.dataflow.packets import Packet, Position

Keyed: TypeAlias = "tuple[tuple[int, Position], Packet]"
"""A packet with its key: ((target, position), packet)."""


def keyed(packets: Iterable[Packet]) -> Iterator[Keyed]:
    """Yield the packets with their keys."""
    return (((packet.target, packet.first), packet) for packet in packets)


def target_of(key: tuple[int, Position]) -> int:
    """Return the target of a packet from its key."""
    return key[0]
