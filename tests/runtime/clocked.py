"""An operator that shows the watermarks it gets, for tests of what brings them: each row (v, ...) as (v, the
watermark that stood), each watermark that it gets as (NULL, watermark). It registers itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE
from firesteel.runtime.dataflow.operator import BEFORE_ALL, MIN_WATERMARK, Clock, Message, Operator, Watermark
from firesteel.runtime.dataflow.operator_registry import OPERATORS, Entry
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.types.sql import BIGINT, INT

OUT = (INT, BIGINT)


@dataclass(frozen=True)
class ClockedSpec(OperatorSpec):
    """tells: whether rows tell of watermarks."""

    tells: bool = True

    @property
    def reads_watermarks(self) -> bool:
        return True


class Clocked(Operator):
    """Rows that tell of a watermark come before it, as what it causes."""

    def __init__(self, spec: ClockedSpec) -> None:
        self._tells = spec.tells
        self._time = MIN_WATERMARK

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        times = pa.array([self._time] * table.num_rows, pa.int64())
        heads = table.select(
            [name for name in (KIND, SEQUENCE, "f0", SUB_SEQUENCE) if name in table.column_names]
        )
        return (heads.add_column(3, "f1", times),)

    def watermark(self, mark: Watermark, port: int = 0) -> Iterable[Message]:
        self._time = mark.time
        if not self._tells or mark.sequence == BEFORE_ALL:
            return (mark,)
        columns = {
            KIND: pa.array([0], pa.int8()), SEQUENCE: [mark.sequence], "f0": pa.array([None], pa.int32()),
            "f1": [mark.time], SUB_SEQUENCE: [mark.sub_sequence],
        }  # fmt: skip
        return (pa.table(columns), mark)


def build(spec: ClockedSpec, state: StateBackend | None, clock: Clock) -> Clocked:
    return Clocked(spec)


def code(spec: ClockedSpec) -> Iterator[str]:
    yield "-- Clocked"


OPERATORS[ClockedSpec] = Entry(__name__)
