"""Merges the packets of one target, of one or several inputs, for the chain that gets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from firesteel.runtime.dataflow.operator import Marked, Message, PortBatch, Watermark
from firesteel.runtime.dataflow.packets import MARKED, Merger, Packet, Position, read_ipc, read_marked
from firesteel.runtime.dataflow.watermarks import ChannelMarks

TOGETHER = 4 << 20
"""Bytes of rows that are given together: what is kept by key is looked up once for all of them. Of many more
each step of an operator waits for memory: 64 MB take windows and OVER up to twice as long, 12 MB a tenth
longer."""
MANY = 12
"""Times as much for an operator that gains by it (operator_registry.py): a GROUP BY record by record takes a
fifth less time."""


class PortMerger:
    """Merge packets that come by ascending position.

    A chain of one input gets its rows and watermarks in one order. A chain of several inputs gets one
    `PortBatch` a release, however the rows of its inputs alternate.

    Args:
        marks: For each port that gets watermarks, the state of its channels.
        place: `$place` of the watermarks, behind those that rows may have here.
        ports: Number of inputs of the chain.
        many: Whether to release more rows at once, for an operator that gains by it.
    """

    def __init__(
        self, marks: Mapping[int, ChannelMarks] | None = None, place: int = 0, *, ports: int = 1,
        many: bool = False,
    ) -> None:  # fmt: skip
        self._place = place
        self._together = TOGETHER * MANY if many else TOGETHER
        self._waiting = 0
        self._ports = [_Port((marks or {}).get(port)) for port in range(ports)]

    def add(self, packet: Packet) -> Iterator[Message | PortBatch]:
        """Take a packet in and, if enough has come, yield the rows that no later packet can precede."""
        if packet.rows == 0 and packet.holds != MARKED:
            return
        if self._waiting >= self._together:
            yield from self._release(packet.first)
            self._waiting = 0
        self._waiting += self._ports[packet.port].add(packet)

    def finish(self) -> Iterator[Message | PortBatch]:
        """Yield what is left."""
        return self._release(None)

    def _release(self, end: Position | None) -> Iterator[Message | PortBatch]:
        parts = [port.release(end, self._place) for port in self._ports]
        if len(parts) > 1:
            if any(part is not None for part in parts):
                yield PortBatch(tuple(parts))
        elif parts[0] is not None:
            yield from _messages(parts[0])


def _messages(part: Marked) -> Iterator[Message]:
    """Yield rows and watermarks in the simplest form that says the same."""
    if not part.table.num_columns:  # no packet has shown what the columns are
        for time, order in zip(part.times.tolist(), part.orders.tolist(), strict=True):
            yield Watermark(time, order, part.place)
    elif len(part.times):
        yield part
    elif part.table.num_rows:
        yield part.table


@dataclass
class _Port:
    """What is held of one input.

    Attributes:
        marks: State of its channels, None if it gets no watermarks.
        rows: Packets whose rows are not released.
        none: A table of its columns without rows, once a packet has shown them.
    """

    marks: ChannelMarks | None = None
    rows: Merger = field(default_factory=Merger)
    none: pa.Table = field(default_factory=lambda: pa.table({}))

    def add(self, packet: Packet) -> int:
        """Take a packet in and return the bytes of its rows."""
        if packet.holds != MARKED:
            table = read_ipc(packet.payload)
            self.rows.hold(packet.first, table)
            return int(table.nbytes)
        table, marks = read_marked(packet.payload)
        if table is not None and table.num_rows:
            self.rows.hold(packet.first, table)
        if table is not None and not self.none.num_columns:
            self.none = table.slice(0, 0)
        if self.marks is not None:
            self.marks.add(marks)
        return 0 if table is None else int(table.nbytes)

    def release(self, end: Position | None, place: int) -> Marked | None:
        """Return the rows before a position and the watermarks whose rows are all there, None for neither."""
        table = self.rows.release(end)
        orders = times = np.empty(0, np.int64)
        if self.marks is not None:
            orders, times = self.marks.release(None if end is None else end.order)
        if table is None and not len(orders):
            return None
        return Marked(self.none if table is None else table, times, orders, place)
