"""Base of operators whose rows wait until a watermark passes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.dataflow.operator import Message, Operator, Watermark, WatermarkedBatch
from firesteel.runtime.dataflow.retained_watermark import RetainedNumber, RetainedWatermark
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]
_NONE = np.zeros(0, np.int64)


class WaitsForWatermarks(Operator, ABC):
    """Operator that sends changes only at watermarks, and processes a table with all its watermarks at once.

    Args:
        backend: State of the operator.
        types: Types of the input fields.
        time: Name of the state with the operator's watermark.
        came: Name of the state with the number of rows so far.
    """

    def __init__(self, backend: StateBackend, types: Sequence[pa.DataType], time: str, came: str) -> None:
        self._types = list(types)
        self._backend = backend
        self._time = RetainedWatermark(backend, time)
        self._numbers: list[RetainedNumber] = [self._time]
        self._came = self.retained_number(came)

    @abstractmethod
    def take(self, message: WatermarkedBatch) -> pa.Table:
        """Process a message: return the changes of its watermarks, sorted by their sequence.

        An implementation also advances the watermark of the operator.
        """

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        self.take(WatermarkedBatch(table, _NONE, _NONE))
        return ()

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        if not self._time.is_new(watermark):
            return (watermark,)
        none = inserts(_NONE, 0, [pa.nulls(0, kind) for kind in self._types])
        out = self.take(
            WatermarkedBatch(
                none, np.array([watermark.time]), np.array([watermark.sequence]), watermark.sub_sequence
            )
        )
        return (out, watermark) if out.num_rows else (watermark,)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        return (rows.with_rows(self.take(rows)),)

    def barrier(self) -> Iterable[Message]:
        for number in self._numbers:
            number.save()
        return ()

    def retained_number(self, name: str, initial: int = 0) -> RetainedNumber:
        """Return a number that is kept between micro-batches in the state `name`, at first `initial`."""
        self._numbers.append(RetainedNumber(self._backend, name, initial))
        return self._numbers[-1]

    def arrivals(self, count: int) -> Index:
        """Return the arrival numbers of the next rows, int64[count]."""
        numbers = self._came.now + np.arange(count)
        self._came.now += count
        return numbers
