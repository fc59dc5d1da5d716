"""Packets as rows of a Spark DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from firesteel.runtime.dataflow.packets import Packet, Position
from firesteel.runtime.dataflow.stored_payload import StoredPayload
from firesteel.spark.internals.frames import spark_schema

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

ARROW = pa.schema(
    [
        ("chain", pa.int32()),
        ("port", pa.int32()),
        ("key_group", pa.int32()),
        ("first", pa.int64()),
        ("place", pa.int64()),
        ("task", pa.int64()),
        ("number", pa.int32()),
        ("rows", pa.int64()),
        ("read", pa.int64()),
        ("holds", pa.int32()),
        ("mark", pa.int64()),
        ("now", pa.int64()),
        ("payload", pa.binary()),
    ]
)
"""Arrow schema of a DataFrame of packets. `now` is the sender's processing time."""

Values = tuple[int, int, int, int, int, int, int, int, int, int, int, int, bytes]


def packet_schema() -> StructType:
    """Return Spark's schema of a DataFrame of packets.

    It is an object. To read a schema that is a text, Spark would first load its SQL parser.
    """
    return spark_schema(ARROW)


def to_values(packet: Packet, labels: tuple[int, ...], now: int = 0) -> Values:
    """Return a packet as the values of one DataFrame row, in the order of the schema ARROW.

    Args:
        packet: The packet. Its target is a key group.
        labels: For each key group, the number by which Spark knows the group. The column `key_group` gets it.
        now: Processing time of the sender, in milliseconds.
    """
    label = labels[packet.target]
    counts = packet.rows, packet.read, packet.holds, packet.watermark
    payload = packet.payload if packet.stored is None else packet.stored.to_bytes()
    return packet.to, packet.port, label, *packet.first, *counts, now, payload


def from_values(row: Values) -> Packet:
    """Return the packet of a DataFrame row. Its target is the label of a key group (see `to_values`)."""
    to, port, label, sequence, sub_sequence, task, number, rows, read, holds, watermark, _, payload = row
    first = Position(sequence, sub_sequence, task, number)
    data = bytes(payload)
    stored = StoredPayload.from_bytes(data)
    return Packet(label, first, rows, read, b"" if stored else data, holds, watermark, to, port, stored)


def now_of(row: Values) -> int:
    """Return the processing time of the sender of a row's packet, in milliseconds."""
    return row[-2]


def to_batch(packet: Packet, labels: tuple[int, ...], now: int = 0) -> pa.RecordBatch:
    """Return a packet as a record batch of one row."""
    values = to_values(packet, labels, now)
    return pa.RecordBatch.from_arrays(
        [pa.array([value], kind) for value, kind in zip(values, ARROW.types, strict=True)], schema=ARROW
    )
