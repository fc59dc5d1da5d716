"""Settings of OVER aggregates and of sorts by time (see runtime/spec/operators.py)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import SqlType


class OverTime(Enum):
    """Time attribute that rows are sorted by."""

    ROWTIME = "rowtime"
    PROCTIME = "proctime"


@dataclass(frozen=True)
class OverFrame:
    """Frame of a row: the row itself and rows before it.

    Attributes:
        rows: Whether `preceding` counts rows (ROWS). If False, it is a time (RANGE), and rows of one time
            share a result.
        preceding: Number of rows, or milliseconds. None for an unbounded frame.
    """

    rows: bool
    preceding: int | None


@dataclass(frozen=True)
class OverAggregateSpec(OperatorSpec):
    """OVER aggregate ordered by a time attribute.

    Attributes:
        aggregate: Partition and calls, over the input columns followed by the constants.
        width: Number of input columns.
        constants: Value and type of each constant.
        frame: Frame of the calls.
        order: Time attribute that rows are sorted by.
        time: Position of the row time.
        state_id: Name of the state.
    """

    aggregate: GroupAggregateSpec
    width: int
    constants: tuple[tuple[object, SqlType], ...]
    frame: OverFrame
    order: OverTime
    time: int
    state_id: str = "over-aggregate"

    @property
    def reads_watermarks(self) -> bool:
        return self.order is OverTime.ROWTIME


@dataclass(frozen=True)
class SortedOverSpec(OperatorSpec):
    """OVER aggregate ordered by a column that is no time attribute. The frame has no bound.

    Attributes:
        aggregate: Calls, over the input columns, the constants and a version number. A version is the rows
            of a partition after a change (runtime/operators/over/versions.py). Its number is the only key.
        partition: Positions of the columns of PARTITION BY.
        width: Number of input columns.
        constants: Value and type of each constant.
        rows: Whether the frame counts rows (ROWS). If False, rows with equal sort keys share a result
            (RANGE).
        sort: Position of the column that rows are sorted by, ascending.
        state_id: Name of the state.
    """

    aggregate: GroupAggregateSpec
    partition: tuple[int, ...]
    width: int
    constants: tuple[tuple[object, SqlType], ...]
    rows: bool
    sort: int
    state_id: str = "sorted-over"


@dataclass(frozen=True)
class TemporalSortSpec(OperatorSpec):
    """ORDER BY a time attribute, then other columns.

    Attributes:
        input_types: Types of the input fields.
        order: Time attribute that rows are sorted by.
        time: Position of the row time.
        keys: Positions of the other columns.
        directions: Sort order of each of these columns.
        state_id: Name of the state.
    """

    input_types: tuple[SqlType, ...]
    order: OverTime
    time: int
    keys: tuple[int, ...] = ()
    directions: tuple[SortOrder, ...] = ()
    state_id: str = "temporal-sort"

    @property
    def reads_watermarks(self) -> bool:
        return self.order is OverTime.ROWTIME
