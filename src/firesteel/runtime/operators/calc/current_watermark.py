"""Calc with CURRENT_WATERMARK: the watermark at which a row came is one more input field."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.dataflow.operator import (
    MIN_WATERMARK,
    Clock,
    Message,
    Operator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.sequence import sub_sequences
from firesteel.runtime.operators.calc import calc
from firesteel.runtime.spec.operators import CurrentWatermarkSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow


class CurrentWatermark(Operator):
    """Operator that adds the current watermark to each row as a field, and runs a Calc.

    The field is NULL before the first watermark.
    """

    def __init__(self, spec: CurrentWatermarkSpec) -> None:
        self._calc = calc.Calc(spec.calc)
        self._field = field(spec.field)
        self._type = to_arrow(spec.type)
        self._time = MIN_WATERMARK

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        out = self._calculated(table, np.full(table.num_rows, self._time))
        return (out,) if out.num_rows else ()

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        self._time = watermark.time
        return (watermark,)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        times = np.concatenate([[self._time], rows.times])
        before = np.searchsorted(rows.at, np.arange(rows.table.num_rows), side="right")
        out = self._calculated(rows.table, times[before])
        self._time = int(times[-1])
        return (rows.with_rows(out),)

    def _calculated(self, table: pa.Table, times: NDArray[np.int64]) -> pa.Table:
        """Return the Calc's result. `times`: int64[n], watermark of each row, MIN_WATERMARK for none."""
        column = pa.array(times, pa.int64(), mask=times == MIN_WATERMARK)
        column = column.cast(pa.timestamp("ms")).cast(pa.timestamp("us")).cast(self._type)
        position = table.num_columns - (sub_sequences(table) is not None)
        return self._calc.process(table.add_column(position, self._field, column))


def build(spec: CurrentWatermarkSpec, state: StateBackend | None, clock: Clock) -> CurrentWatermark:
    return CurrentWatermark(spec)


def code(spec: CurrentWatermarkSpec) -> Iterator[str]:
    yield f"-- {field(spec.field)} is the watermark"
    yield from calc.code(spec.calc)
