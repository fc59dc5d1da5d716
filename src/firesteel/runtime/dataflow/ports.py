"""Merge the packets of one chain, from one or several inputs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from firesteel.runtime.dataflow.operator import Message, PortBatch, Watermark, WatermarkedBatch
from firesteel.runtime.dataflow.packets import (
    WATERMARKED,
    Merger,
    Packet,
    Position,
    read_ipc,
    read_watermarked,
)
from firesteel.runtime.dataflow.watermarks import WatermarkAligner

TOGETHER = 4 << 20
"""Bytes of rows that are released at once.

State is looked up by key once for all of them. Much larger tables do not fit into the processor's caches, so
each step waits for main memory: with 64 MB at once, windows and OVER take up to twice as long, with 12 MB a
tenth longer.
"""
MANY = 12
"""Factor on `TOGETHER` for operators that gain by larger tables (operator_registry.py).

With this factor, a GROUP BY without mini-batch takes a fifth less time.
"""
MANY_LARGE = 3
"""Factor in place of MANY for rows of LARGE_ROW bytes and more: few of them make a table large enough."""
LARGE_ROW = 1 << 10
MOST_ROWS = 250_000
"""Maximum number of rows that are released at once in a micro-batch, for operators that gain by larger
tables. It takes effect if rows are small: then TOGETHER * MANY bytes hold more rows than this.

An operator takes some hundred bytes of memory for each row, e.g. to sort the values of a MAX by key. The
batch host has no such limit: its workers end with the job, and a GROUP BY is a twentieth faster without it.
"""


class PortMerger:
    """Merger of the packets of a chain. The packets come by ascending position.

    A chain with one input gets its rows and watermarks in one order. A chain with several inputs gets one
    `PortBatch` for each release, however the rows of its inputs alternate.

    Args:
        watermarks: State of the channels, for each port that gets watermarks.
        sub_sequence: Sub-sequence of the watermarks. It is not below that of any row of the chain.
        ports: Number of inputs of the chain.
        many: Whether to release more rows at once, for an operator that gains by it.
        most_rows: Maximum number of rows that are released at once, None for no limit. Rows with the same
            sequence and sub-sequence are released together, even if their number is above this limit.
    """

    def __init__(
        self, watermarks: Mapping[int, WatermarkAligner] | None = None, sub_sequence: int = 0, *,
        ports: int = 1, many: bool = False, most_rows: int | None = None,
    ) -> None:  # fmt: skip
        self._sub_sequence = sub_sequence
        self._many = many
        self._most_rows = most_rows
        self._waiting = self._waiting_rows = 0
        self._ports = [_Port((watermarks or {}).get(port)) for port in range(ports)]

    def add(self, packet: Packet) -> Iterator[Message | PortBatch]:
        """Add a packet. If enough rows wait, yield the rows that no later packet can precede."""
        if packet.rows == 0 and packet.holds != WATERMARKED:
            return
        if self._waiting >= self._together() or self._waiting_rows >= (self._most_rows or sys.maxsize):
            yield from self._release(packet.first)
            self._waiting = self._waiting_rows = 0
        self._waiting += self._ports[packet.port].add(packet)
        self._waiting_rows += packet.rows

    def finish(self) -> Iterator[Message | PortBatch]:
        """Yield all rows and watermarks that still wait."""
        return self._release(None)

    def _together(self) -> int:
        """Return how many bytes of rows are released at once. It depends on the mean size of waiting rows."""
        if not self._many:
            return TOGETHER
        return TOGETHER * (MANY_LARGE if self._waiting >= LARGE_ROW * self._waiting_rows else MANY)

    def _release(self, end: Position | None) -> Iterator[Message | PortBatch]:
        """Yield the rows and watermarks before a position, all if it is None."""
        while self._most_rows and (cut := self._ports[0].rows.cut(end, self._most_rows)) is not None:
            yield from self._release_once(cut)
        yield from self._release_once(end)

    def _release_once(self, end: Position | None) -> Iterator[Message | PortBatch]:
        parts = [port.release(end, self._sub_sequence) for port in self._ports]
        if len(parts) > 1:
            if any(part is not None for part in parts):
                yield PortBatch(tuple(parts))
        elif parts[0] is not None:
            yield from _messages(parts[0])


def _messages(part: WatermarkedBatch) -> Iterator[Message]:
    """Yield the rows and watermarks of a batch as the messages that a chain with one input gets.

    - If the columns are not known yet, as no packet has had rows: a `Watermark` for each watermark.
    - If there are watermarks, with or without rows: the batch itself.
    - If there are rows only: their table. If there is neither: nothing.
    """
    if not part.table.num_columns:  # The columns are unknown: no packet has had rows yet.
        for time, sequence in zip(part.times.tolist(), part.sequences.tolist(), strict=True):
            yield Watermark(time, sequence, part.sub_sequence)
    elif len(part.times):
        yield part
    elif part.table.num_rows:
        yield part.table


@dataclass
class _Port:
    """Rows and watermarks of one input that are not released yet.

    Attributes:
        watermarks: State of the channels of the input, None if it gets no watermarks.
        rows: Rows that are not released.
        none: Table without rows. `release` returns it as the table of watermarks that have no rows. Its
            columns are those of the input, and are taken from the first WATERMARKED packet with a table.
            Before this packet, it has no columns.
    """

    watermarks: WatermarkAligner | None = None
    rows: Merger = field(default_factory=Merger)
    none: pa.Table = field(default_factory=lambda: pa.table({}))

    def add(self, packet: Packet) -> int:
        """Add a packet and return the bytes of its rows."""
        if packet.holds != WATERMARKED:
            table = read_ipc(packet.content())
            self.rows.hold(packet.first, table)
            return int(table.nbytes)
        table, watermarks = read_watermarked(packet.content())
        if table is not None and table.num_rows:
            self.rows.hold(packet.first, table)
        if table is not None and not self.none.num_columns:
            self.none = table.slice(0, 0)
        if self.watermarks is not None:
            self.watermarks.add(watermarks)
        return 0 if table is None else int(table.nbytes)

    def release(self, end: Position | None, sub_sequence: int) -> WatermarkedBatch | None:
        """Return the rows before a position, and the watermarks with a lower sequence than this position.

        Args:
            end: The position. No later packet has rows before it. None releases all rows and watermarks.
            sub_sequence: Sub-sequence of the watermarks.

        Returns:
            None if there are neither rows nor watermarks.
        """
        table = self.rows.release(end)
        sequences = times = np.empty(0, np.int64)
        if self.watermarks is not None:
            sequences, times = self.watermarks.release(None if end is None else end.sequence)
        if table is None and not len(sequences):
            return None
        return WatermarkedBatch(self.none if table is None else table, times, sequences, sub_sequence)
