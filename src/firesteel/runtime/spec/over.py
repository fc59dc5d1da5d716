"""OVER aggregates and sorts by time, for those who run them; as runtime/spec/operators.py."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import SqlType


class OverTime(Enum):
    """By which time rows are ordered."""

    ROWTIME = "rowtime"
    PROCTIME = "proctime"


@dataclass(frozen=True)
class OverFrame:
    """The rows that each row sees: itself, and those before it. rows: whether they are counted one by one;
    else rows of one time are peers, which see each other. preceding: how many, or how many milliseconds; None
    for all."""

    rows: bool
    preceding: int | None


@dataclass(frozen=True)
class OverAggregateSpec(OperatorSpec):
    """OVER. aggregate: the partition and the calls, over the input's columns and, behind these, the constants
    (a value and its type each). time: the column of the row time."""

    aggregate: GroupAggregateSpec
    width: int
    constants: tuple[tuple[object, SqlType], ...]
    frame: OverFrame
    order: OverTime
    time: int
    state_id: str = "over-aggregate"

    @property
    def reads_marks(self) -> bool:
        return self.order is OverTime.ROWTIME


@dataclass(frozen=True)
class TemporalSortSpec(OperatorSpec):
    """ORDER BY a time, then other columns: keys and how each of them is sorted."""

    input_types: tuple[SqlType, ...]
    order: OverTime
    time: int
    keys: tuple[int, ...] = ()
    directions: tuple[SortOrder, ...] = ()
    state_id: str = "temporal-sort"

    @property
    def reads_marks(self) -> bool:
        return self.order is OverTime.ROWTIME
