"""How far event time has come for an operator, over micro-batches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.operator import MIN_WATERMARK, Marked, Watermark
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]


@dataclass(frozen=True)
class AscendingMarks:
    """m watermarks, ascending: their times, and the orders and the place of what they cause."""

    times: Index
    orders: Index
    place: int = 0

    @classmethod
    def none(cls) -> AscendingMarks:
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of(cls, message: Watermark | Marked) -> AscendingMarks:
        """Those of a message."""
        if isinstance(message, Watermark):
            return cls(np.array([message.time]), np.array([message.order]), message.place)
        return cls(np.maximum.accumulate(message.times), message.orders, message.place)


class KeptNumber:
    """A number that an operator keeps over micro-batches, in the state of this name."""

    def __init__(self, backend: StateBackend, name: str, initial: int) -> None:
        self._state = backend.value(name, [], [pa.int64()])
        self._key = find_keys([], 1)
        (known,) = self._state.get(self._key, 0).columns
        self.now = initial if known[0].as_py() is None else int(known[0].as_py())
        self._saved = self.now

    def save(self) -> None:
        """Write it, if it has moved."""
        if self.now != self._saved:
            self._state.put(self._key, np.zeros(1, np.int64), [pa.array([self.now])], 0)
            self._saved = self.now


class KeptWatermark(KeptNumber):
    """The operator's watermark. name: of the state."""

    def __init__(self, backend: StateBackend, name: str) -> None:
        super().__init__(backend, name, MIN_WATERMARK)

    def standing(self, rows: Marked) -> Index:
        """int64[n]: the watermark that stood when each row came."""
        marks = np.maximum.accumulate(np.concatenate([[self.now], rows.times]))
        return marks[np.searchsorted(rows.at, np.arange(rows.table.num_rows), side="right")]

    def is_new(self, mark: Watermark) -> bool:
        """Whether event time moves: what waits for the next watermark does not go with one that comes again,
        as at the beginning of a micro-batch."""
        return mark.time > self.now

    def advance(self, time: int) -> None:
        """A watermark has come; one that is lower changes nothing."""
        self.now = max(self.now, time)
