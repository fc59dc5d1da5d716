"""Recorder of the messages of a job's chains. It keeps rows that `why` may need, and drops others early."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from firesteel.runtime.dataflow.observed_chain import Received
from firesteel.runtime.dataflow.operator import PortBatch, Watermark, WatermarkedBatch
from firesteel.runtime.dataflow.sequence import Numbers
from firesteel.spark.why.condition import Condition

Place = tuple[int, int, int]
"""An input or output of an operator: chain, position in the chain, and port.

The rows that operator n of a chain gets are at position n. The output of the last operator is at the position
after it.
"""


NONE: Numbers = np.zeros(0, np.int64)
"""Empty array, for `times` and `sequences` of an Event without watermarks."""


@dataclass(frozen=True)
class Event:
    """A message at one port of an operator.

    Attributes:
        batch: Index of the micro-batch.
        rows: Changes table, possibly without rows; None for a watermark that comes without rows.
        times: int64[m], ascending. Watermarks among the rows, in milliseconds. Only the last one of several
            without a row between them is kept.
        sequences: int64[m], sequence of each watermark (runtime/dataflow/operator.py).
        sub_sequence: Sub-sequence, the same for all these watermarks.
    """

    batch: int
    rows: pa.Table | None
    times: Numbers = field(default_factory=lambda: NONE)
    sequences: Numbers = field(default_factory=lambda: NONE)
    sub_sequence: int = 0


class Recorder:
    """Observer of a job's chains that keeps their messages in `events` (runtime/dataflow/observed_chain.py).

    Args:
        kept: For some places, a condition on the rows. Of the rows at such a place, only those that satisfy
            the condition are recorded. At all other places, all rows are recorded.
        cuts: Places at which rows that are not recorded are also taken out of the running job, so that the
            next operator does not get them. Recorded rows at later places must not depend on them.
    """

    def __init__(self, kept: Mapping[Place, Condition], cuts: frozenset[Place]) -> None:
        self._kept, self._cuts = kept, cuts
        self.batch = 0
        self.events: dict[Place, list[Event]] = {}

    def message(self, chain: int, position: int, message: Received, port: int) -> Received:
        if isinstance(message, PortBatch):
            parts = [
                None if part is None else self._noted((chain, position, number), part)
                for number, part in enumerate(message.inputs)
            ]
            return PortBatch(tuple(parts))
        place = (chain, position, port)
        if isinstance(message, Watermark):
            self._add(place, None, message.time, message.sequence, message.sub_sequence)
            return message
        if isinstance(message, WatermarkedBatch):
            return self._noted(place, message)
        kept = self._picked(place, message)
        if kept.num_rows:
            self.events.setdefault(place, []).append(Event(self.batch, kept))
        return kept if place in self._cuts else message

    def _noted(self, place: Place, message: WatermarkedBatch) -> WatermarkedBatch:
        kept = self._picked(place, message.table)
        last = _last_before_rows(message.with_rows(kept))
        rows = kept if kept.num_columns else None
        event = Event(self.batch, rows, message.times[last], message.sequences[last], message.sub_sequence)
        self.events.setdefault(place, []).append(event)
        return message.with_rows(kept) if place in self._cuts else message

    def _picked(self, place: Place, rows: pa.Table) -> pa.Table:
        condition = self._kept.get(place)
        if condition is None or not rows.num_rows:
            return rows
        mask = condition.mask(rows)
        return rows if mask.all() else rows.filter(pa.array(mask))

    def _add(self, place: Place, rows: pa.Table | None, time: int, sequence: int, sub: int) -> None:
        event = Event(self.batch, rows, np.array([time]), np.array([sequence]), sub)
        self.events.setdefault(place, []).append(event)

    def picks(self, place: Place) -> Condition | None:
        """Return the condition of the rows that are recorded at a place; None if all rows are recorded."""
        return self._kept.get(place)


def _last_before_rows(message: WatermarkedBatch) -> Numbers:
    """Return the ascending indices (in `message.times`) of the watermarks that a row or the end follows.

    Leave out a watermark that another one follows directly.
    """
    if not message.table.num_rows:
        return np.arange(len(message.times))[-1:]
    at = message.at
    return np.flatnonzero(np.diff(at, append=-1) != 0)


def tables(events: Sequence[Event]) -> Iterator[tuple[int, pa.Table]]:
    """Yield the index of the micro-batch and the rows of each event that has rows."""
    for event in events:
        if event.rows is not None and event.rows.num_rows:
            yield event.batch, event.rows
