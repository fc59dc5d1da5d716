"""Packets: what the hosts shuffle instead of rows.

A packet holds the rows that one task has for one target (a partition of the batch host, a key group of
the stream host) as one Arrow IPC stream. Rows stand by `$order` in it, and no `$order` within a packet
lies below that of a later packet of the same task and target. So the packets of a target, sorted by the
`$order` of their first rows, can be merged as they come: when a packet that begins at x arrives, all
rows below x are there.

`$order` must name one row for this to be deterministic. Sources number their rows; some operators give
several changes for one row, so at an exchange behind them the rows are numbered anew (`renumber`): as
many times the number of the row that caused it, plus its place among that row's changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.errors import InternalError, JobError
from firesteel.runtime.keys import key_groups
from firesteel.runtime.sorting import stable_order
from firesteel.runtime.spec import ORDER

CHANGES, FAILURE, WRITTEN, STATE = 0, 1, 2, 3
"""What a packet holds."""

FIRST = -(1 << 62)
"""An order before all rows: of packets that carry counters or an error only."""
_LAST = (1 << 63) - 1

PACK_ROWS = 1 << 19
PACK_BYTES = 16 << 20
"""A task sends its packets on when it holds this many rows or bytes."""


@dataclass(frozen=True)
class Packet:
    """One packet.

    target: the partition or key group it goes to. order: of its first row. rows: how many it holds or
    tells of. read: rows read from sources since the task's last packet, for progress. payload: an Arrow
    IPC stream, empty where there are no rows. holds: CHANGES, else FAILURE (the payload is a pickled
    error), WRITTEN (JSON: what a sink's task wrote, for the sink's commit) or STATE (JSON: chain, key group
    and how many entries the state of the two has, for progress).
    """

    target: int
    order: int
    rows: int
    read: int
    payload: bytes
    holds: int = CHANGES


class Packer:
    """Collects the changes of a task and cuts them into packets, one a target at a time.

    keys: the key fields' positions; () sends all to target 0. changes_a_row: how many have the
    same `$order`, at most.
    """

    def __init__(self, keys: tuple[int, ...], targets: int, changes_a_row: int = 1) -> None:
        self._keys = keys
        self._targets = targets if keys else 1
        self._changes_a_row = changes_a_row
        self._held: list[pa.Table] = []
        self._rows = 0
        self._bytes = 0
        self.read = 0

    def add(self, changes: pa.Table) -> list[Packet]:
        """Take changes in; the packets that are full."""
        if changes.num_rows == 0:
            return []
        self._held.append(changes)
        self._rows += changes.num_rows
        self._bytes += changes.nbytes
        return self.flush() if self._rows >= PACK_ROWS or self._bytes >= PACK_BYTES else []

    def flush(self) -> list[Packet]:
        """What is held, as packets; the first one carries the count of rows read."""
        packets = self._cut() if self._held else []
        self._held, self._rows, self._bytes = [], 0, 0
        read = self.take_read()
        if not read:
            return packets
        if not packets:
            return [Packet(0, FIRST, 0, read, b"")]
        return [replace(packets[0], read=read), *packets[1:]]

    def take_read(self) -> int:
        """The count of rows read, which starts anew."""
        read, self.read = self.read, 0
        return read

    def _cut(self) -> list[Packet]:
        changes = in_order(pa.concat_tables(self._held).combine_chunks())
        if self._changes_a_row > 1:
            changes = renumber(changes, self._changes_a_row)
        if self._targets == 1:
            return [_packet(0, changes)]
        groups = key_groups(changes, self._keys, self._targets)
        small = groups.astype(np.uint16) if self._targets <= 1 << 16 else groups
        changes = changes.take(pa.array(np.argsort(small, kind="stable")))
        ends = np.cumsum(np.bincount(groups, minlength=self._targets))
        starts = np.concatenate(([0], ends[:-1]))
        return [
            _packet(target, changes.slice(start, end - start))
            for target, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
            if end > start
        ]


class Merger:
    """Merges the packets of one target, given by ascending order, into changes by `$order`."""

    def __init__(self) -> None:
        self._held: list[pa.Table] = []
        self._last = FIRST

    def add(self, packet: Packet) -> pa.Table | None:
        """Take a packet in; the rows that no later packet can come before, or None."""
        if packet.rows == 0:
            return None
        out = self._release(packet.order) if packet.order <= self._last else self.finish()
        changes = read_ipc(packet.payload)
        self._held.append(changes)
        self._last = max(self._last, int(changes.column(ORDER)[-1].as_py()))
        return out

    def finish(self) -> pa.Table | None:
        """The rows that are left, or None."""
        if not self._held:
            return None
        changes, self._held = in_order(pa.concat_tables(self._held)), []
        return changes

    def _release(self, order: int) -> pa.Table | None:
        """Rows below `order`; the others stay."""
        changes = in_order(pa.concat_tables(self._held).combine_chunks())
        ready = int(np.searchsorted(orders(changes), order))
        self._held = [changes.slice(ready)]
        return changes.slice(0, ready) if ready else None


def merge(packets: Iterable[Packet]) -> Iterator[pa.Table]:
    """All rows of the packets of one target, given by ascending order."""
    merger = Merger()
    for packet in packets:
        changes = merger.add(packet)
        if changes is not None:
            yield changes
    rest = merger.finish()
    if rest is not None:
        yield rest


def orders(changes: pa.Table) -> NDArray[np.int64]:
    """The `$order` column."""
    values: NDArray[np.int64] = changes.column(ORDER).to_numpy()
    return values


def in_order(changes: pa.Table) -> pa.Table:
    """The changes sorted by `$order`; those of one input row stay as they stood."""
    order = orders(changes)
    if bool(np.all(order[1:] >= order[:-1])):
        return changes
    return changes.combine_chunks().take(pa.array(stable_order(order)))


def renumber(changes: pa.Table, width: int) -> pa.Table:
    """Give the changes that one input row caused, at most `width`, an order of their own; they stand by
    `$order`.

    Raises InternalError where an input row caused more, JobError where the orders become too large.
    """
    order = orders(changes)
    if len(order) and int(order[-1]) > _LAST // width:
        raise JobError(
            "Too many rows, or copies of them, to number them",
            hint="use fewer grouping sets, or read less in one batch",
        )
    starts = np.flatnonzero(np.concatenate([[True], order[1:] != order[:-1]]))
    sizes = np.diff(np.append(starts, len(order)))
    if bool(np.any(sizes > width)):
        raise InternalError(f"a chain gave more than {width} changes for one input row")
    places = np.arange(len(order)) - np.repeat(starts, sizes)
    index = changes.schema.get_field_index(ORDER)
    return changes.set_column(index, ORDER, pa.array(order * width + places))


def write_ipc(changes: pa.Table) -> bytes:
    """A table as an Arrow IPC stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, changes.schema) as writer:
        writer.write_table(changes)
    payload: bytes = sink.getvalue().to_pybytes()
    return payload


def read_ipc(payload: bytes) -> pa.Table:
    """The table of an Arrow IPC stream, without a copy."""
    return pa.ipc.open_stream(payload).read_all()


def _packet(target: int, changes: pa.Table) -> Packet:
    first = int(changes.column(ORDER)[0].as_py())
    return Packet(target, first, changes.num_rows, 0, write_ipc(changes))
