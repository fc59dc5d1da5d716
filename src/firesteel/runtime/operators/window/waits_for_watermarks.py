"""What operators have in common whose rows wait until watermarks pass them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.dataflow.operator import Marked, Message, Operator, Watermark
from firesteel.runtime.dataflow.retained_watermark import KeptNumber, KeptWatermark
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]
_NONE = np.zeros(0, np.int64)


class WaitsForWatermarks(Operator, ABC):
    """Watermarks alone send out changes, and a table is worked off at once with all that are in it.

    types: of the input's fields. time, came: names of the states of its watermark and of how many rows came.
    """

    def __init__(self, backend: StateBackend, types: Sequence[pa.DataType], time: str, came: str) -> None:
        self._types = list(types)
        self._backend = backend
        self._time = KeptWatermark(backend, time)
        self._numbers: list[KeptNumber] = [self._time]
        self._came = self.kept_number(came)

    @abstractmethod
    def take(self, message: Marked) -> pa.Table:
        """The changes that the watermarks of a message send out, by their orders; it moves the operator's own
        watermark on."""

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        self.take(Marked(table, _NONE, _NONE))
        return ()

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        if not self._time.is_new(mark):
            return (mark,)
        none = inserts(_NONE, 0, [pa.nulls(0, kind) for kind in self._types])
        out = self.take(Marked(none, np.array([mark.time]), np.array([mark.order]), mark.place))
        return (out, mark) if out.num_rows else (mark,)

    def marked(self, rows: Marked, port: int = 0) -> Iterable[Message]:
        return (rows.with_rows(self.take(rows)),)

    def barrier(self) -> Iterable[Message]:
        for number in self._numbers:
            number.save()
        return ()

    def kept_number(self, name: str, initial: int = 0) -> KeptNumber:
        """A number that is kept over micro-batches, in the state of this name."""
        self._numbers.append(KeptNumber(self._backend, name, initial))
        return self._numbers[-1]

    def arrivals(self, count: int) -> Index:
        """int64[count]: the numbers of the next rows that come."""
        numbers = self._came.now + np.arange(count)
        self._came.now += count
        return numbers
