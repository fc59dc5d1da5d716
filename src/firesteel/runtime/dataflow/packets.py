"""Packets: Arrow IPC streams of rows that the hosts shuffle instead of single rows.

A packet holds the rows that one task has for one target. A target is a partition of the batch host or a key
group of the stream host. The rows of a packet are sorted (runtime/dataflow/sequence.py). No row of a packet
precedes a row of an earlier packet of the same task and target. The receiver of a target gets the packets of
all tasks by ascending position of their first rows. When a packet that begins at x arrives, the receiver has
all rows before x, and can process them.

Where an operator reads watermarks (job/watermark_routing.py), each target gets all watermarks of a task, with
or without rows.

One input row of the job may cause several changes. They all have the sequence of this row, their origin. At
an exchange, their sub-sequences number them (`SubSequences`). Changes can still have the same sequence and
sub-sequence: if an origin has more changes than the bits of an exchange can number, or if several chains send
changes of one origin. These changes are sorted by the number of the task that sends them. So the order is the
same in every run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.kernels.types import given
from firesteel.runtime.columns.keys import key_groups
from firesteel.runtime.dataflow.hot_keys import KeySketch
from firesteel.runtime.dataflow.operator import LAST_SEQUENCE
from firesteel.runtime.dataflow.sequence import (
    Numbers,
    SubSequences,
    below,
    concat,
    in_order,
    origin_of,
    sequences,
)
from firesteel.runtime.dataflow.stored_payload import StoredPayload
from firesteel.runtime.dataflow.watermarks import ChannelWatermarks

CHANGES, FAILURE, WRITTEN, SKIPPED, WATERMARKED, COUNTERS, TICK, TIMER, REFUSED, SAMPLE = range(10)
"""Kinds of content of a packet (`Packet.holds`)."""

TO_DRIVER = -1
"""Destination of a packet that goes to neither a chain nor a sink. Sinks have negative numbers too."""


class Position(NamedTuple):
    """Position of a packet among the packets of one target. Positions compare as tuples.

    Attributes:
        sequence: Sequence of the first row.
        sub_sequence: Sub-sequence of the first row.
        task: Number of the task that sends the packet, unique in a micro-batch.
        number: Number of the packet among those of the task.
    """

    sequence: int
    sub_sequence: int = 0
    task: int = 0
    number: int = 0


FIRST = Position(-(1 << 62))
"""Position before all rows, for packets without rows or watermarks, such as counters or an error."""

PACK_ROWS = 1 << 19
"""Number of collected rows at which a task sends them as packets, even if they have less than PACK_BYTES."""
PACK_BYTES = 16 << 20
"""Size of the collected rows at which a task sends them as packets, even if they are less than PACK_ROWS."""

_WRITE = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
"""Options for writing a packet: compressed with LZ4, in one thread.

Sequences, kinds and window ends compress very well, and a packet is copied about six times through the JVM
and the shuffle files. Threads bring nothing, because Spark's tasks use all cores.
"""
_READ = pa.ipc.IpcReadOptions(use_threads=False)
_BEGIN, _MOST_STEPS = b"begin", (1 << 16) - 1


@dataclass(frozen=True)
class Packet:
    """One packet: rows, watermarks or counters of one task for one target.

    Attributes:
        target: Partition or key group that the packet goes to.
        first: Position of the packet among those of the target.
        rows: Number of rows in the packet. For WRITTEN, the number of rows that the sink's task reports.
        read: Rows read from sources since the last packet of the task, for progress.
        payload: Arrow IPC stream of rows, or other content by `holds`. Empty for TICK, or if `stored` is set.
        holds: Kind of the payload, see below.
        watermark: Last watermark that the chain sent, for progress. 0 for none.
        to: Id of the chain that the packet goes to. Packets for a sink (job/spec.py: sink_id) go by way of
            the driver.
        port: Input of the chain.
        stored: Where the payload is, if it lies in a file. `payload` is then empty.

    Kinds of payload:
        CHANGES: Rows.
        FAILURE: A pickled error.
        WRITTEN: JSON, what the task of a sink wrote, for the commit of the sink.
        SKIPPED: JSON, the number of messages that a source skipped by cause, for progress.
        WATERMARKED: Rows, possibly none, and watermarks (`read_watermarked`).
        COUNTERS: JSON, the counters of a task and the sizes of its state (spark/task/counters.py).
        TICK: Nothing. It makes the receiver look at its timers of processing time.
        REFUSED: JSON, the rows that the task of a sink has refused (spark/refused_rows.py).
        SAMPLE: Some of the rows for a sink, whose number is `port` (spark/task/sink_sample.py).
        TIMER: JSON, a chain, a key group and the processing time of their next timer, null for none.
    """

    target: int
    first: Position
    rows: int
    read: int
    payload: bytes
    holds: int = CHANGES
    watermark: int = 0
    to: int = TO_DRIVER
    port: int = 0
    stored: StoredPayload | None = None

    def content(self) -> bytes:
        """Return the payload. Read it from its file if needed."""
        return self.payload if self.stored is None else self.stored.read()


class Packer:
    """Collector of the changes of a task that cuts them into packets, one for each target.

    Args:
        keys: Positions of the key fields. () sends all rows to target `home`.
        targets: Number of targets.
        sub_sequence_bits: Number of bits by which the exchange extends a sub-sequence, to number the changes
            that one input row has caused (runtime/dataflow/sequence.py). 0: the changes are not numbered.
        task: Number of the task that sends the packets.
        to: Destination of the packets.
        port: Input of the destination.
        home: Target of all rows if there are no keys.
        channel: Channel of the watermarks, None if none are sent.
        sketch: Sketch that counts the frequent keys, None for none.
    """

    def __init__(
        self, keys: tuple[int, ...], targets: int, sub_sequence_bits: int = 0, task: int = 0,
        to: int = TO_DRIVER, port: int = 0, home: int = 0, channel: int | None = None,
        sketch: KeySketch | None = None,
    ) -> None:  # fmt: skip
        self._to = to
        self._port = port
        self._home = home
        self._keys = keys
        self._targets = targets if keys else 1
        self._number_changes = SubSequences(sub_sequence_bits) if sub_sequence_bits else None
        self._task = task
        self._channel = channel
        self._sketch = sketch
        self._number = 0
        self._held: list[pa.Table] = []
        self._watermarks: list[tuple[Numbers, Numbers]] = []
        self._none: pa.Table | None = None
        self._rows = 0
        self._bytes = 0

    def add(self, changes: pa.Table) -> list[Packet]:
        """Add changes and return the packets that are full."""
        if changes.num_rows == 0:
            return []
        self._held.append(changes)
        self._rows += changes.num_rows
        self._bytes += changes.nbytes
        return self.flush() if self._rows >= PACK_ROWS or self._bytes >= PACK_BYTES else []

    def add_watermarks(self, sequences: Numbers, times: Numbers) -> None:
        """Add watermarks that follow the rows added so far.

        Args:
            sequences: int64[m], not below those of earlier calls.
            times: int64[m], milliseconds.
        """
        if self._channel is not None and len(sequences):
            self._watermarks.append((sequences, times))

    def flush(self) -> list[Packet]:
        """Return all collected changes and watermarks as packets."""
        packets = self._cut() if self._held or self._watermarks else []
        self._held, self._rows, self._bytes = [], 0, 0
        return packets

    def _cut(self) -> list[Packet]:
        self._number += 1
        changes = self._changes() if self._held else self._none
        watermarks = self._taken_watermarks()
        if changes is None:
            return [self._packet(target, pa.table({}), watermarks) for target in self._all()]
        if self._targets == 1:
            return [self._packet(self._home, changes, watermarks)]
        from firesteel.kernels.groups import deal  # imported here: the driver does not need it

        order, ends = np.empty(changes.num_rows, np.int64), np.empty(self._targets, np.int64)
        deal(order, ends, *given(key_groups(changes, self._keys, self._targets)))
        changes = changes.take(pa.array(order))
        return [
            self._packet(target, changes.slice(start, end - start), watermarks)
            for target, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
            if end > start or watermarks is not None
        ]

    def _changes(self) -> pa.Table:
        changes = in_order(concat(self._held).combine_chunks())
        if self._number_changes is not None:
            changes = self._number_changes(changes)
        if self._channel is not None:
            self._none = changes.slice(0, 0)
        if self._sketch is not None:
            self._sketch.add(changes)
        return changes

    def _all(self) -> Sequence[int]:
        return [self._home] if self._targets == 1 else range(self._targets)

    def _taken_watermarks(self) -> ChannelWatermarks | None:
        """Remove and return the collected watermarks, None if there are none."""
        if self._channel is None or not self._watermarks:
            return None
        sequences, times = zip(*self._watermarks, strict=True)
        self._watermarks = []
        return ChannelWatermarks.of(self._channel, sequences, times)

    def _packet(self, target: int, changes: pa.Table, watermarks: ChannelWatermarks | None) -> Packet:
        rows = changes.num_rows
        origin = origin_of(changes, 0) if rows else (LAST_SEQUENCE, 0)
        if watermarks is None:
            payload, holds = write_ipc(changes), CHANGES
        else:
            payload, holds = write_ipc(changes) + write_ipc(watermarks.to_table()), WATERMARKED
            origin = min(origin, (int(watermarks.sequences[0]), 0))
        first = Position(*origin, self._task, self._number)
        return Packet(target, first, rows, 0, payload, holds, to=self._to, port=self._port)


class Merger:
    """Merger of the packets of one target, added by ascending position, into sorted changes."""

    def __init__(self) -> None:
        self._held: list[tuple[Position, pa.Table]] = []

    def add(self, packet: Packet) -> pa.Table | None:
        """Add a packet. Return the rows that no later packet can precede, None if there are none."""
        if packet.rows == 0:
            return None
        out = self.release(packet.first)
        self.hold(packet.first, read_ipc(packet.content()))
        return out

    def hold(self, first: Position, changes: pa.Table) -> None:
        """Add the rows of a packet without releasing any."""
        self._held.append((first, changes))

    def finish(self) -> pa.Table | None:
        """Return the rows that are left, None if there are none."""
        return self.release(None)

    def release(self, end: Position | None) -> pa.Table | None:
        """Return the rows before a position and keep the others.

        Rows of one sequence and sub-sequence are sorted by task.

        Args:
            end: Position of the first row to keep, None to release all rows.

        Returns:
            Sorted changes, None if there are none.
        """
        ready, held = [], []
        for first, changes in sorted(self._held, key=lambda one: one[0][2:]):
            rows = changes.num_rows if end is None else below(changes, end[:2])
            if rows:
                ready.append(changes.slice(0, rows))
            if rows < changes.num_rows:
                held.append((first, changes.slice(rows)))
        self._held = held
        return in_order(concat(ready)) if ready else None

    def cut(self, end: Position | None, most: int) -> Position | None:
        """Return a position before which about `most` rows wait.

        Args:
            end: Position that the result has to precede, None for no limit.
            most: Number of rows. Rows with the same sequence and sub-sequence are never divided, so more than
                `most` rows may come before the result.

        Returns:
            The position. None if at most `most` rows wait before `end`, or if they cannot be divided, because
            nearly all of them have the same sequence and sub-sequence.
        """
        tables = [changes for _, changes in self._held]
        waiting = sum(len(changes) if end is None else below(changes, end[:2]) for changes in tables)
        share = max(1, most // max(1, len(tables)))
        while waiting > most and share < waiting:
            cut = min((origin_of(changes, share) for changes in tables if len(changes) > share), default=None)
            if cut is None or (end is not None and cut >= end[:2]):
                return None
            if any(below(changes, cut) for changes in tables):
                return Position(*cut)
            share *= 2
        return None


def merge(packets: Iterable[Packet]) -> Iterator[pa.Table]:
    """Yield all rows of the packets of one target, given by ascending position, as sorted tables."""
    merger = Merger()
    for packet in packets:
        changes = merger.add(packet)
        if changes is not None:
            yield changes
    rest = merger.finish()
    if rest is not None:
        yield rest


def write_ipc(changes: pa.Table) -> bytes:
    """Return a table as an Arrow IPC stream."""
    changes = _with_steps(changes)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, changes.schema, options=_WRITE) as writer:
        writer.write_table(changes)
    payload: bytes = sink.getvalue().to_pybytes()
    return payload


def read_ipc(payload: bytes | pa.BufferReader) -> pa.Table:
    """Return the table of an Arrow IPC stream."""
    return _with_sequences(pa.ipc.open_stream(payload, options=_READ).read_all())


def _with_steps(changes: pa.Table) -> pa.Table:
    """Replace the sequences by the uint16 steps between them, which compress faster and better.

    The first sequence goes into the metadata of the column. If a step does not fit, the table stays as it is.
    """
    index = changes.schema.get_field_index(SEQUENCE)
    if index < 0 or not changes.num_rows:
        return changes
    sequence = sequences(changes)
    steps = np.diff(sequence, prepend=sequence[0])
    if steps.min() < 0 or steps.max() > _MOST_STEPS:
        return changes
    field = pa.field(SEQUENCE, pa.uint16(), metadata={_BEGIN: str(sequence[0])})
    return changes.set_column(index, field, pa.array(steps.astype(np.uint16)))


def _with_sequences(changes: pa.Table) -> pa.Table:
    """Restore the sequences that `_with_steps` has replaced. A table with sequences stays as it is."""
    index = changes.schema.get_field_index(SEQUENCE)
    kind = changes.schema.field(index) if index >= 0 else None
    if kind is None or kind.type != pa.uint16():
        return changes
    sequence = np.cumsum(sequences(changes), dtype=np.int64) + int(kind.metadata[_BEGIN])
    # Not pa.array: it loads numpy.ma, which takes tens of milliseconds.
    column = pa.Array.from_buffers(pa.int64(), len(sequence), [None, pa.py_buffer(sequence)])
    return changes.set_column(index, SEQUENCE, column)


def read_watermarked(payload: bytes) -> tuple[pa.Table | None, ChannelWatermarks]:
    """Return the changes and the watermarks of a WATERMARKED packet.

    The packet consists of two Arrow IPC streams, one after the other.

    Returns:
        The changes, possibly no rows, and the watermarks. The changes are None if the first stream has no
        columns: a task that has had no rows yet does not know the columns of its output.
    """
    reader = pa.BufferReader(payload)
    changes, watermarks = read_ipc(reader), read_ipc(reader)
    return (changes if changes.num_columns else None), ChannelWatermarks.from_table(watermarks)
