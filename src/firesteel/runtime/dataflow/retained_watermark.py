"""Values that an operator keeps in its state between micro-batches: its watermark, and single numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.operator import MIN_WATERMARK, Watermark, WatermarkedBatch
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]


@dataclass(frozen=True)
class AscendingWatermarks:
    """m ascending watermarks, as columns.

    Attributes:
        times: int64[m], milliseconds.
        sequences: int64[m], sequence of the changes that each watermark causes.
        sub_sequence: Sub-sequence of these changes.
    """

    times: Index
    sequences: Index
    sub_sequence: int = 0

    @classmethod
    def none(cls) -> AscendingWatermarks:
        """Return no watermarks (m = 0)."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def of(cls, message: Watermark | WatermarkedBatch) -> AscendingWatermarks:
        """Return the watermarks of a message."""
        if isinstance(message, Watermark):
            return cls(np.array([message.time]), np.array([message.sequence]), message.sub_sequence)
        return cls(np.maximum.accumulate(message.times), message.sequences, message.sub_sequence)


class RetainedNumber:
    """A number that an operator keeps in its state between micro-batches.

    Args:
        backend: State of the operator.
        name: Name of the value state.
        initial: Value if the state is empty.
    """

    def __init__(self, backend: StateBackend, name: str, initial: int) -> None:
        self._state = backend.value(name, [], [pa.int64()])
        self._key = find_keys([], 1)
        (known,) = self._state.get(self._key, 0).columns
        self.now = initial if known[0].as_py() is None else int(known[0].as_py())
        self._saved = self.now

    def save(self) -> None:
        """Write the number to the state if it has changed."""
        if self.now != self._saved:
            self._state.put(self._key, np.zeros(1, np.int64), [pa.array([self.now])], 0)
            self._saved = self.now


class RetainedWatermark(RetainedNumber):
    """The watermark of an operator, kept between micro-batches.

    Args:
        backend: State of the operator.
        name: Name of the value state.
    """

    def __init__(self, backend: StateBackend, name: str) -> None:
        super().__init__(backend, name, MIN_WATERMARK)

    def at_rows(self, rows: WatermarkedBatch) -> Index:
        """Return the watermark at which each row came, int64[n] in milliseconds.

        It is the last watermark before the row in the batch, or the retained one if that is greater.
        """
        watermarks = np.maximum.accumulate(np.concatenate([[self.now], rows.times]))
        return watermarks[np.searchsorted(rows.at, np.arange(rows.table.num_rows), side="right")]

    def is_new(self, watermark: Watermark) -> bool:
        """Return whether a watermark is above the retained one.

        A micro-batch begins by repeating the last watermark, which is not new. An operator that sends rows at
        the next watermark must not send them at the repeated one.
        """
        return watermark.time > self.now

    def advance(self, time: int) -> None:
        """Raise the watermark. A lower time changes nothing."""
        self.now = max(self.now, time)
