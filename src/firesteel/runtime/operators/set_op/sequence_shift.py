"""SequenceShift: number the rows of one use of a shared input after those of earlier uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import ORDER
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    LAST_ORDER,
    Clock,
    Message,
    RowOperator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.sequence import Numbers, order_shift, orders
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.state.base import StateBackend


class SequenceShift(RowOperator):
    """Operator that adds a constant to the `$order` of rows and watermarks.

    Two branches of a query that read one shared input get equal `$order`s. After the shift, the second branch
    is numbered like a source of its own. Where the branches meet again, all rows of the first come before all
    rows of the second, as if each had read the input itself.
    """

    def __init__(self, shift: int) -> None:
        self._shift = shift

    def process(self, changes: pa.Table) -> pa.Table:
        index = changes.schema.get_field_index(ORDER)
        return changes.set_column(index, ORDER, pa.array(orders(changes) + self._shift))

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        (order,) = self._shifted(np.array([mark.order], np.int64)).tolist()
        return (replace(mark, order=order),)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        shifted = self.process(rows.table) if rows.table.num_columns else rows.table
        return (replace(rows, table=shifted, orders=self._shifted(rows.orders)),)

    def _shifted(self, at: Numbers) -> Numbers:
        """Shift all orders except the first and last ones of a micro-batch, which are outside those of
        rows.
        """
        outside = (at == BEFORE_ALL) | (at == LAST_ORDER)
        return np.where(outside, at, at + self._shift)


def build(spec: SequenceShiftSpec, state: StateBackend | None, clock: Clock) -> SequenceShift:
    return SequenceShift(order_shift(spec.places, spec.sources))


def code(spec: SequenceShiftSpec) -> Iterator[str]:
    yield "-- SequenceShift, behind the rows of the uses before"
