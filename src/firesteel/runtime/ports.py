"""Puts the packets of one target together for the chain that gets them: rows and watermarks of several
inputs, in one order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from firesteel.runtime.marks import ChannelMarks
from firesteel.runtime.operators.base import Marked, Message, Watermark
from firesteel.runtime.orders import Numbers, concat, heads, ranks
from firesteel.runtime.packets import MARKED, Merger, Packet, Position, read_ipc, read_marked
from firesteel.runtime.spec import ORDER, PLACE

_BEHIND = 1 << 62
"""A place behind that of all rows."""

TOGETHER = 4 << 20
"""Bytes of rows that are given together: what is kept by key is looked up once for all of them. Of many more
each step of an operator waits for memory: 64 MB take windows and OVER up to twice as long, 12 MB a tenth
longer."""
MANY = 12
"""Times as much for an operator that gains by it (operators/registry.py): a GROUP BY record by record takes a
fifth less time."""


@dataclass(frozen=True)
class Part:
    """Rows of a port, and the watermarks among them; None for rows where no packet has shown any."""

    port: int
    table: pa.Table | None
    orders: Numbers
    times: Numbers

    def messages(self, place: int) -> Iterator[Message]:
        """What the chain is given. place: of the watermarks (runtime/orders.py)."""
        if self.table is None:
            for time, order in zip(self.times.tolist(), self.orders.tolist(), strict=True):
                yield Watermark(time, order, place)
        elif len(self.times):
            yield Marked(self.table, self.times, self.orders, place)
        elif self.table.num_rows:
            yield self.table


class PortMerger:
    """Merges the packets of one target, given by ascending position. marks: of the ports that get any.
    place: of the watermarks, behind those that rows may have here. many: whether more are to go together."""

    def __init__(
        self, marks: Mapping[int, ChannelMarks] | None = None, place: int = 0, *, many: bool = False
    ) -> None:
        self._place = place
        self._together = TOGETHER * MANY if many else TOGETHER
        self._waiting = 0
        self._ports = {port: _Port(port, own) for port, own in (marks or {}).items()}

    def add(self, packet: Packet) -> Iterator[tuple[int, Message]]:
        """Take a packet in; where enough has come, what no later packet can come before, with the port that
        it is for."""
        if packet.rows == 0 and packet.holds != MARKED:
            return
        port = self._ports.setdefault(packet.port, _Port(packet.port))
        if self._waiting >= self._together:
            yield from self._release(packet.first)
            self._waiting = 0
        self._waiting += port.add(packet)

    def finish(self) -> Iterator[tuple[int, Message]]:
        """What is left."""
        return self._release(None)

    def _release(self, end: Position | None) -> Iterator[tuple[int, Message]]:
        parts = (port.release(end) for _, port in sorted(self._ports.items()))
        for part in interleaved([part for part in parts if part is not None]):
            for message in part.messages(self._place):
                yield part.port, message


@dataclass
class _Port:
    number: int
    marks: ChannelMarks | None = None
    rows: Merger = field(default_factory=Merger)
    none: pa.Table | None = None

    def add(self, packet: Packet) -> int:
        """How many bytes of rows it has."""
        if packet.holds != MARKED:
            table = read_ipc(packet.payload)
            self.rows.hold(packet.first, table)
            return int(table.nbytes)
        table, marks = read_marked(packet.payload)
        if table is not None and table.num_rows:
            self.rows.hold(packet.first, table)
        if table is not None and self.none is None:
            self.none = table.slice(0, 0)
        if self.marks is not None:
            self.marks.add(marks)
        return 0 if table is None else int(table.nbytes)

    def release(self, end: Position | None) -> Part | None:
        """Rows before a position, and watermarks whose rows are all there."""
        table = self.rows.release(end)
        if self.marks is None:
            return None if table is None else Part(self.number, table, _NONE, _NONE)
        orders, times = self.marks.release(None if end is None else end.order)
        if table is None and not len(orders):
            return None
        return Part(self.number, self.none if table is None else table, orders, times)


_NONE = np.empty(0, np.int64)


def interleaved(parts: Sequence[Part]) -> Iterator[Part]:
    """Parts of several ports, each in its order, cut where another port's come in between."""
    if len(parts) < 2:
        yield from parts
        return
    owners, is_mark = _in_order(parts)
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    marks = np.add.reduceat(is_mark, starts).tolist()
    sizes = np.diff(starts, append=len(owners)).tolist()
    taken = [[0, 0] for _ in parts]
    for owner, size, among in zip(owners[starts].tolist(), sizes, marks, strict=True):
        part, (row, mark) = parts[owner], taken[owner]
        taken[owner] = [row + size - among, mark + among]
        rows = None if part.table is None else part.table.slice(row, size - among)
        yield Part(part.port, rows, *(each[mark : mark + among] for each in (part.orders, part.times)))


def _in_order(parts: Sequence[Part]) -> tuple[Numbers, Numbers]:
    """The parts' rows and watermarks in one order: the number of the part of each, and 1 for a watermark."""
    causes, owners, is_mark = [], [], []
    for number, part in enumerate(parts):
        marks = len(part.orders)
        rows = 0 if part.table is None else part.table.num_rows
        if rows:
            causes.append(heads(part.table))
        if marks:
            causes.append(pa.table({ORDER: part.orders, PLACE: np.full(marks, _BEHIND)}))
        owners.append(np.full(rows + marks, number))
        is_mark.append(np.repeat([0, 1], [rows, marks]))
    by = np.argsort(ranks(concat(causes)), kind="stable")
    return np.concatenate(owners)[by], np.concatenate(is_mark)[by]
