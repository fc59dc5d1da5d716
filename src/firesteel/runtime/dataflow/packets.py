"""Packets: what the hosts shuffle instead of rows.

A packet holds the rows that one task has for one target (a partition of the batch host, a key group of
the stream host) as one Arrow IPC stream. Rows stand in their order in it (runtime/dataflow/sequence.py), and
none of a packet comes before one of an earlier packet of the same task and target. So the packets of a
target, sorted by their positions, can be merged as they come: when a packet that begins at x arrives, all
rows before x are there. Where something looks at watermarks (job/watermark_routing.py) each target gets all
of a task's, with its rows or without any.

Changes of one cause have places of their own behind an exchange. Where there are more than it can number,
and where several chains hand on what one row caused, the task decides: so the order is the same for every
run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from firesteel.changelog import ORDER
from firesteel.kernels.types import given
from firesteel.runtime.columns.keys import key_groups
from firesteel.runtime.dataflow.operator import LAST_ORDER
from firesteel.runtime.dataflow.sequence import Numbers, Places, below, cause_of, concat, in_order, orders
from firesteel.runtime.dataflow.watermarks import Marks

CHANGES, FAILURE, WRITTEN, STATE, SKIPPED, MARKED, LATE, TICK, TIMER = range(9)
"""What a packet holds."""

TO_DRIVER = -1
"""For a packet that is neither of a chain's rows nor of a sink's; sinks have negative numbers too."""


class Position(NamedTuple):
    """Where a packet stands among those of a target: order and place of its first row, then the number of
    the task that sends it, unique in a micro-batch, and its own among those of the task."""

    order: int
    place: int = 0
    task: int = 0
    number: int = 0


FIRST = Position(-(1 << 62))
"""Before all rows: of packets that carry counters or an error only."""

PACK_ROWS = 1 << 19
PACK_BYTES = 16 << 20
"""A task sends its packets on when it holds this many rows or bytes."""

_WRITE = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
_READ = pa.ipc.IpcReadOptions(use_threads=False)
_BEGIN, _MOST_STEPS = b"begin", (1 << 16) - 1
"""Orders, kinds and ends of windows shrink to nothing, and a packet is copied half a dozen times on its way:
through the JVM, its shuffle's file and back. Spark's tasks are the parallelism."""


@dataclass(frozen=True)
class Packet:
    """One packet.

    to: the chain that it goes to, at `port`, or the sink (job_spec.py: sink_id), by way of the driver.
    target: the partition or key group it goes to. first: where it stands. rows: how many it holds or
    tells of. read: rows read from sources since the task's last packet, and mark: the last watermark that
    its chain gave, 0 for none; both for progress. payload: an Arrow IPC stream, empty where there are no
    rows. holds: CHANGES, else FAILURE (the payload is a pickled error), WRITTEN (JSON: what a sink's task
    wrote, for the sink's commit), STATE (JSON: chain, key group and how many entries the state of the two
    has, for progress), SKIPPED (JSON: how many messages a source left out, for progress), LATE (JSON: how
    many rows came too late, for progress), TICK (nothing: timers of the clock are looked at), TIMER (JSON:
    chain, key group and the processing time of the next timer of the two, null for none) or MARKED (changes,
    which may be none, and watermarks: read_marked).
    """

    target: int
    first: Position
    rows: int
    read: int
    payload: bytes
    holds: int = CHANGES
    mark: int = 0
    to: int = TO_DRIVER
    port: int = 0


class Packer:
    """Collects the changes of a task and cuts them into packets, one a target at a time.

    keys: the key fields' positions; () sends all to target `home`. places: bits for the places that
    changes of one cause are given (runtime/dataflow/sequence.py), 0 for none. task: the number of the one
    that sends them. to, port: of the packets. channel: of its watermarks, None where none are sent.
    """

    def __init__(
        self, keys: tuple[int, ...], targets: int, places: int = 0, task: int = 0,
        to: int = TO_DRIVER, port: int = 0, home: int = 0, channel: int | None = None,
    ) -> None:  # fmt: skip
        self._to = to
        self._port = port
        self._home = home
        self._keys = keys
        self._targets = targets if keys else 1
        self._places = Places(places) if places else None
        self._task = task
        self._channel = channel
        self._number = 0
        self._held: list[pa.Table] = []
        self._marks: list[tuple[Numbers, Numbers]] = []
        self._none: pa.Table | None = None
        self._rows = 0
        self._bytes = 0

    def add(self, changes: pa.Table) -> list[Packet]:
        """Take changes in; the packets that are full."""
        if changes.num_rows == 0:
            return []
        self._held.append(changes)
        self._rows += changes.num_rows
        self._bytes += changes.nbytes
        return self.flush() if self._rows >= PACK_ROWS or self._bytes >= PACK_BYTES else []

    def mark(self, orders: Numbers, times: Numbers) -> None:
        """Take watermarks in that stand behind what was added; orders: not below those before."""
        if self._channel is not None and len(orders):
            self._marks.append((orders, times))

    def flush(self) -> list[Packet]:
        """What is held, as packets."""
        packets = self._cut() if self._held or self._marks else []
        self._held, self._rows, self._bytes = [], 0, 0
        return packets

    def _cut(self) -> list[Packet]:
        self._number += 1
        changes = self._changes() if self._held else self._none
        marks = self._taken_marks()
        if changes is None:
            return [self._packet(target, pa.table({}), marks) for target in self._all()]
        if self._targets == 1:
            return [self._packet(self._home, changes, marks)]
        from firesteel.kernels.groups import deal  # not on the driver

        order, ends = np.empty(changes.num_rows, np.int64), np.empty(self._targets, np.int64)
        deal(order, ends, *given(key_groups(changes, self._keys, self._targets)))
        changes = changes.take(pa.array(order))
        return [
            self._packet(target, changes.slice(start, end - start), marks)
            for target, (start, end) in enumerate(pairwise([0, *ends.tolist()]))
            if end > start or marks is not None
        ]

    def _changes(self) -> pa.Table:
        changes = in_order(concat(self._held).combine_chunks())
        if self._places is not None:
            changes = self._places(changes)
        if self._channel is not None:
            self._none = changes.slice(0, 0)
        return changes

    def _all(self) -> Sequence[int]:
        return [self._home] if self._targets == 1 else range(self._targets)

    def _taken_marks(self) -> Marks | None:
        """The watermarks that are held."""
        if self._channel is None or not self._marks:
            return None
        orders, times = zip(*self._marks, strict=True)
        self._marks = []
        return Marks.of(self._channel, orders, times)

    def _packet(self, target: int, changes: pa.Table, marks: Marks | None) -> Packet:
        rows = changes.num_rows
        cause = cause_of(changes, 0) if rows else (LAST_ORDER, 0)
        if marks is None:
            payload, holds = write_ipc(changes), CHANGES
        else:
            payload, holds = write_ipc(changes) + write_ipc(marks.to_table()), MARKED
            cause = min(cause, (int(marks.orders[0]), 0))
        first = Position(*cause, self._task, self._number)
        return Packet(target, first, rows, 0, payload, holds, to=self._to, port=self._port)


class Merger:
    """Merges the packets of one target, given by ascending position, into changes in their order."""

    def __init__(self) -> None:
        self._held: list[tuple[Position, pa.Table]] = []

    def add(self, packet: Packet) -> pa.Table | None:
        """Take a packet in; the rows that no later packet can come before, or None."""
        if packet.rows == 0:
            return None
        out = self.release(packet.first)
        self.hold(packet.first, read_ipc(packet.payload))
        return out

    def hold(self, first: Position, changes: pa.Table) -> None:
        """Take the rows of a packet in."""
        self._held.append((first, changes))

    def finish(self) -> pa.Table | None:
        """The rows that are left, or None."""
        return self.release(None)

    def release(self, end: Position | None) -> pa.Table | None:
        """Rows before `end`, or all, None for none; the others stay. Rows of one order and place stand by
        task."""
        ready, held = [], []
        for first, changes in sorted(self._held, key=lambda one: one[0][2:]):
            rows = changes.num_rows if end is None else below(changes, end[:2])
            if rows:
                ready.append(changes.slice(0, rows))
            if rows < changes.num_rows:
                held.append((first, changes.slice(rows)))
        self._held = held
        return in_order(concat(ready)) if ready else None


def merge(packets: Iterable[Packet]) -> Iterator[pa.Table]:
    """All rows of the packets of one target, given by ascending position."""
    merger = Merger()
    for packet in packets:
        changes = merger.add(packet)
        if changes is not None:
            yield changes
    rest = merger.finish()
    if rest is not None:
        yield rest


def write_ipc(changes: pa.Table) -> bytes:
    """A table as an Arrow IPC stream."""
    changes = _with_steps(changes)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, changes.schema, options=_WRITE) as writer:
        writer.write_table(changes)
    payload: bytes = sink.getvalue().to_pybytes()
    return payload


def read_ipc(payload: bytes | pa.BufferReader) -> pa.Table:
    """The table of an Arrow IPC stream."""
    return _with_orders(pa.ipc.open_stream(payload, options=_READ).read_all())


def _with_steps(changes: pa.Table) -> pa.Table:
    """The same with steps from one order to the next in the place of the orders, where they are small: those
    shrink to less, and sooner."""
    index = changes.schema.get_field_index(ORDER)
    if index < 0 or not changes.num_rows:
        return changes
    order = orders(changes)
    steps = np.diff(order, prepend=order[0])
    if steps.min() < 0 or steps.max() > _MOST_STEPS:
        return changes
    field = pa.field(ORDER, pa.uint16(), metadata={_BEGIN: str(order[0])})
    return changes.set_column(index, field, pa.array(steps.astype(np.uint16)))


def _with_orders(changes: pa.Table) -> pa.Table:
    """The table that was written."""
    index = changes.schema.get_field_index(ORDER)
    kind = changes.schema.field(index) if index >= 0 else None
    if kind is None or kind.type != pa.uint16():
        return changes
    order = np.cumsum(orders(changes), dtype=np.int64) + int(kind.metadata[_BEGIN])
    column = pa.Array.from_buffers(pa.int64(), len(order), [None, pa.py_buffer(order)])
    return changes.set_column(index, ORDER, column)  # pa.array loads numpy.ma, for tens of milliseconds


def read_marked(payload: bytes) -> tuple[pa.Table | None, Marks]:
    """The changes of a MARKED packet, None where no row has shown yet what their columns are, and the
    watermarks: one Arrow IPC stream behind the other."""
    reader = pa.BufferReader(payload)
    changes, marks = read_ipc(reader), read_ipc(reader)
    return (changes if changes.num_columns else None), Marks.from_table(marks)
