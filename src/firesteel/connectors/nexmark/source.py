"""Source of the connector `nexmark`."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.connectors.base import History, Offset, ReadLimit, Source, Split
from firesteel.connectors.nexmark.columns import BLOCK, EventTable
from firesteel.connectors.nexmark.event_rows import CHUNK, Block
from firesteel.connectors.nexmark.options import NexmarkOptions, parsed
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.value_parts import WHOLE

_MOST_EVENTS = 2_000_000
"""Maximum number of events of a micro-batch if the user has set no limit."""


class NexmarkSource(Source):
    """Source of Nexmark events. Event k depends only on k, the options, and the time before the first event.

    Splits and offsets contain that time ("base"), so a retry or a restarted run reads the same events. Splits
    are ranges of one timeline, so the events do not depend on the number of tasks.
    """

    def __init__(self, scan: ScanSpec) -> None:
        self._scan = scan
        self._options: NexmarkOptions = parsed(dict(scan.options))
        read = dict(zip(scan.projection, scan.parts or (WHOLE,) * len(scan.projection), strict=True))
        self._table = EventTable(scan.types, [read.get(at, ()) for at in range(len(scan.types))])

    @property
    def bounded(self) -> bool:
        return self._options.total is not None and not self._options.is_kept_alive

    def splits(self, parallelism: int) -> list[Split]:
        now = _now()
        return self._cut(0, self._options.total or 0, parallelism, self._base(now), now)

    def initial_offset(self) -> Offset:
        now = _now()
        return {"event": 0, "base": self._base(now), "began": now}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        event = start["event"] + (_MOST_EVENTS if limit.rows is None else limit.rows)
        if self._options.total is not None:
            event = min(event, self._options.total)
        if self._options.is_paced:
            event = min(event, self._due(start["began"]))
        return {**start, "event": max(event, start["event"])}

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        return self._cut(start["event"], end["event"], parallelism, end["base"], None)

    def is_finished(self, offset: Offset) -> bool:
        return self.bounded and offset["event"] >= (self._options.total or 0)

    def history(self, start: Offset, end: Offset) -> History:
        """Return number and range of the events between two offsets. They can always be generated again."""
        first, last = start["event"], end["event"]
        ranges = (f"events {first:,} to {last - 1:,}",) if first < last else ()
        return History(start, end, f"{last - first:,} events", ranges)

    def history_piece(self, start: Offset, until: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the next piece of events that a job reads again (see Source.history_piece).

        The piece begins at `start` and ends at `until` or before. It has at most `limit.rows` events, or
        2,000,000 if `limit.rows` is None.
        """
        most = _MOST_EVENTS if limit.rows is None else limit.rows
        return {**until, "event": min(start["event"] + most, until["event"])}

    def read(self, split: Split) -> Iterator[pa.Table]:
        data, first = split.data, split.data["first"]
        while first < data["end"]:
            end = min(data["end"], (first // BLOCK + 1) * BLOCK)
            if data["began"] is not None and self._options.is_paced:
                end = min(end, self._await(first, data["began"]))
            sequences = row_sequences(split.ordinal, first - data["first"], end - first)
            yield self._rows(first, end, sequences, data["base"])
            first = end

    def _base(self, now: int) -> int:
        return now if self._options.base_time is None else self._options.base_time

    def _cut(self, first: int, end: int, parallelism: int, base: int, began: int | None) -> list[Split]:
        """Return the events [first, end) in about equal splits.

        Args:
            base: See Block.base_time.
            began: Start of the query in milliseconds since 1970 if the reader waits until events are due,
                else None.
        """
        count = end - first
        parts = max(1, min(parallelism, -(-count // BLOCK))) if count else 0
        bounds = [first + count * part // parts for part in range(parts)] + [end]
        return [
            Split(part, {"first": bounds[part], "end": bounds[part + 1], "base": base, "began": began})
            for part in range(parts)
        ]

    def _due(self, began: int) -> int:
        """Return the number of events whose time has passed."""
        return max(0, _now() - began) * self._options.rate // 1000

    def _await(self, first: int, began: int) -> int:
        """Wait until the event `first` is due. Return the number of events that are due."""
        while (due := self._due(began)) <= first:
            time.sleep(max(0.001, began / 1000 + (first + 1) / self._options.rate - time.time()))
        return due

    def _rows(self, first: int, end: int, sequences: pa.Array, base: int) -> pa.Table:
        """Return the changes table of the events [first, end): one insert for each event.

        Args:
            first: Number of the first event, from 0.
            end: Number after the last event.
            sequences: Sequence of each event, int64[end - first]: the values of the column `$order`.
            base: See Block.base_time.
        """
        begin = first // CHUNK * CHUNK
        block = Block(self._options, base, begin, -(-(end - begin) // CHUNK) * CHUNK)
        kinds = pa.array(np.full(end - first, RowKind.INSERT, dtype=np.int8))
        whole = (self._table.column(block, position) for position in self._scan.projection)
        columns = [kinds, sequences, *(each.slice(first - begin, end - first) for each in whole)]
        names = [KIND, SEQUENCE, *(field(index) for index in range(len(self._scan.projection)))]
        return pa.Table.from_arrays(columns, names=names)


def _now() -> int:
    return time.time_ns() // 1_000_000
