"""Packets as rows."""

from __future__ import annotations

from firesteel.runtime.dataflow.packets import Packet, Position
from firesteel.spark.stream.rows import ARROW, from_values, to_batch


def test_a_packet_is_a_row() -> None:
    packet = Packet(1, Position(7, 2, 5 << 32, 4), 3, 9, b"payload", 0)
    batch = to_batch(packet, (5, 8))
    assert batch.schema == ARROW
    assert from_values(tuple(batch.to_pylist()[0].values())) == Packet(
        8, Position(7, 2, 5 << 32, 4), 3, 9, b"payload", 0
    )
