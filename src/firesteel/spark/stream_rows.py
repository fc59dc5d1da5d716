"""Packets as rows of a Spark DataFrame, and which key groups the stream host has."""

from __future__ import annotations

import pyarrow as pa
from pyspark import TaskContext

from firesteel.runtime.packets import Packet

SCHEMA = "key_group int, first bigint, rows bigint, read bigint, holds int, payload binary"
"""The columns of a DataFrame of packets, as Spark writes them."""

ARROW = pa.schema(
    [
        ("key_group", pa.int32()),
        ("first", pa.int64()),
        ("rows", pa.int64()),
        ("read", pa.int64()),
        ("holds", pa.int32()),
        ("payload", pa.binary()),
    ]
)
"""The same in Arrow."""

Values = tuple[int, int, int, int, int, bytes]


def to_values(packet: Packet, labels: tuple[int, ...]) -> Values:
    """The row of a packet; its target becomes the label of the key group."""
    label = labels[packet.target]
    return label, packet.order, packet.rows, packet.read, packet.holds, packet.payload


def from_values(row: Values) -> Packet:
    """The packet of a row."""
    label, order, rows, read, holds, payload = row
    return Packet(label, order, rows, read, bytes(payload), holds)


def to_batch(packet: Packet, labels: tuple[int, ...]) -> pa.RecordBatch:
    """A packet as a record batch of one row."""
    return pa.RecordBatch.from_arrays(
        [pa.array([value], kind) for value, kind in zip(to_values(packet, labels), ARROW.types, strict=True)],
        schema=ARROW,
    )


def batch_number() -> int:
    """In a worker: the number of the micro-batch that its task belongs to."""
    context = TaskContext.get()
    number = context.getLocalProperty("streaming.sql.batchId") if context is not None else None
    return int(number) if number is not None else 0


def key_group_labels(groups: int, partitions: int) -> tuple[int, ...]:
    """The numbers by which Spark knows the key groups: group g lies in partition g % partitions.

    Spark puts a row into partition pmod(murmur3(key), partitions), which spreads a handful of small
    numbers badly; so each group is given the next number that lands where the group belongs.
    """
    labels: list[int] = []
    next_free = [0] * partitions
    for group in range(groups):
        partition = group % partitions
        label = next_free[partition]
        while murmur3(label) % partitions != partition:
            label += 1
        next_free[partition] = label + 1
        labels.append(label)
    return tuple(labels)


def murmur3(value: int) -> int:
    """Spark's hash of an INT: 32-bit MurmurHash3 with seed 42, signed."""
    mask = 0xFFFFFFFF
    k = (value & mask) * 0xCC9E2D51 & mask
    k = (k << 15 | k >> 17) & mask
    k = k * 0x1B873593 & mask
    h = 42 ^ k
    h = (h << 13 | h >> 19) & mask
    h = (h * 5 + 0xE6546B64) & mask
    h ^= 4
    h ^= h >> 16
    h = h * 0x85EBCA6B & mask
    h ^= h >> 13
    h = h * 0xC2B2AE35 & mask
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h
