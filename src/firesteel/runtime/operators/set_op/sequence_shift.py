"""SequenceShift: number the rows of one use of a shared input after those of earlier uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    LAST_SEQUENCE,
    Clock,
    Message,
    RowOperator,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.sequence import Numbers, sequence_shift, sequences
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.state.base import StateBackend


class SequenceShift(RowOperator):
    """Operator that adds a constant to the sequence of rows and watermarks.

    If two branches of a query read one shared input, their rows have equal sequences. After the shift, the
    rows of the second branch have the sequences of a separate source. Where the branches meet again, all rows
    of the first branch come before all rows of the second, as if each branch had read a source of its own.
    """

    def __init__(self, shift: int) -> None:
        self._shift = shift

    def process(self, changes: pa.Table) -> pa.Table:
        index = changes.schema.get_field_index(SEQUENCE)
        return changes.set_column(index, SEQUENCE, pa.array(sequences(changes) + self._shift))

    def watermark(self, watermark: Watermark, port: int = 0) -> Iterable[Message]:
        (sequence,) = self._shifted(np.array([watermark.sequence], np.int64)).tolist()
        return (replace(watermark, sequence=sequence),)

    def watermarked(self, rows: WatermarkedBatch, port: int = 0) -> Iterable[Message]:
        shifted = self.process(rows.table) if rows.table.num_columns else rows.table
        return (replace(rows, table=shifted, sequences=self._shifted(rows.sequences)),)

    def _shifted(self, at: Numbers) -> Numbers:
        """Shift sequences, except BEFORE_ALL and LAST_SEQUENCE: they are before and after all rows."""
        outside = (at == BEFORE_ALL) | (at == LAST_SEQUENCE)
        return np.where(outside, at, at + self._shift)


def build(spec: SequenceShiftSpec, state: StateBackend | None, clock: Clock) -> SequenceShift:
    return SequenceShift(sequence_shift(spec.places, spec.sources))


def code(spec: SequenceShiftSpec) -> Iterator[str]:
    yield "-- SequenceShift, behind the rows of the uses before"
