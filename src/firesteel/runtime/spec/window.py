"""What the operators of windows are told (runtime/spec/operators.py has the others)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.types.sql import BIGINT, SqlType


class TimedSpec(OperatorSpec):
    """What an operator is told that waits for watermarks."""

    @property
    def reads_marks(self) -> bool:
        return True


class WindowColumn(Enum):
    """A column that says something of a row's window. START, END: its borders on the windows' clock. TIME:
    its last millisecond as a time attribute. CLOCK: the processing time at which it is sent."""

    START = auto()
    END = auto()
    TIME = auto()
    CLOCK = auto()


@dataclass(frozen=True)
class WindowTime:
    """What time a row has. column: its row time; None where it is the processing time. type: of the time
    attribute. zone: of the clock by which windows are cut, UTC for a time without a zone."""

    column: int | None
    type: SqlType
    zone: str = "UTC"


@dataclass(frozen=True)
class SessionWindows:
    """Sessions of rows. gap: milliseconds. borders: the columns that hold start and end where a function
    below has found the session; it ends with event time then."""

    time: WindowTime
    gap: int
    borders: tuple[int, int] | None = None

    @property
    def is_rowtime(self) -> bool:
        """Whether watermarks end them, or the clock."""
        return self.time.column is not None or self.borders is not None


@dataclass(frozen=True)
class SessionWindowAggregateSpec(TimedSpec):
    """Aggregation by key and session (Flink: UnsliceSyncStateWindowAggProcessor; WindowOperator over a
    SessionWindowAssigner).

    aggregate: keys and calls. columns: of the window, behind the results.
    """

    aggregate: GroupAggregateSpec
    windows: SessionWindows
    columns: tuple[WindowColumn, ...]

    @property
    def sets_timers(self) -> bool:
        return not self.windows.is_rowtime


@dataclass(frozen=True)
class SessionWindowTableFunctionSpec(TimedSpec):
    """SESSION without an aggregate (Flink: UnalignedWindowTableFunctionOperator). keys: by which sessions are
    kept apart."""

    keys: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    windows: SessionWindows
    state_id: str = "session-window-table-function"

    @property
    def sets_timers(self) -> bool:
        return not self.windows.is_rowtime


@dataclass(frozen=True)
class WindowsSpec:
    """Windows that the clock alone decides. Times are milliseconds.

    function: TUMBLE, HOP or CUMULATE. size: CUMULATE's greatest. step: HOP's slide, CUMULATE's step, TUMBLE's
    size. of_group_by: windows of GROUP BY, whose rows come to the state one by one, where those of the table
    functions wait in a buffer, and whose slices are merged as they come, those of HOP's the newest first.
    """

    function: str
    size: int
    step: int
    offset: int = 0
    of_group_by: bool = False


@dataclass(frozen=True)
class WindowTableFunctionSpec(OperatorSpec):
    """Put window_start, window_end and window_time behind every row, once for each of its windows."""

    windows: WindowsSpec
    time: WindowTime


@dataclass(frozen=True)
class LocalWindowAggregateSpec(TimedSpec):
    """Rows to accumulators by key and slice.

    aggregate: keys and calls. window_end: the column that holds it where a function below has put the window
    to the row.
    """

    aggregate: GroupAggregateSpec
    windows: WindowsSpec
    time: WindowTime
    window_end: int | None = None


@dataclass(frozen=True)
class WindowAggregateSpec(TimedSpec):
    """Aggregate by key and window, and say it when the window is over.

    aggregate, window_end: as in the local phase. columns: of the window, behind the results. results: how
    many of the calls are shown. is_global: the input is what the local phase gives.
    """

    aggregate: GroupAggregateSpec
    windows: WindowsSpec
    time: WindowTime
    columns: tuple[WindowColumn, ...]
    results: int
    window_end: int | None = None
    is_global: bool = False

    @property
    def is_rowtime(self) -> bool:
        """Whether watermarks end the windows, or the clock."""
        return self.time.column is not None or self.window_end is not None

    @property
    def sets_timers(self) -> bool:
        return not self.is_rowtime


def sliced(aggregate: GroupAggregateSpec) -> GroupAggregateSpec:
    """The same by slice too: its end is one more field behind the rows', and the last key."""
    end = BIGINT.with_nullable(False)
    keys = (*aggregate.keys, len(aggregate.input_types))
    return replace(aggregate, keys=keys, input_types=(*aggregate.input_types, end))


@dataclass(frozen=True)
class Emit:
    """Results of a window before its end and after it. early, late: milliseconds of processing time between
    two of them, 0 for one with every row, None for none. lateness: how long after its end rows are taken, in
    milliseconds of event time."""

    early: int | None = None
    late: int | None = None
    lateness: int = 0


@dataclass(frozen=True)
class GroupWindowAggregateSpec(TimedSpec):
    """Aggregation by key and TUMBLE or HOP of GROUP BY, row by row (Flink: AggregateWindowOperator).

    aggregate: keys and calls; its `emit_update_before` is whether -U goes with +U. size, slide: milliseconds,
    the same for TUMBLE. columns: of the window, behind the results. updates: whether a result replaces the
    one before, and is not sent again where it is the same.
    """

    aggregate: GroupAggregateSpec
    time: WindowTime
    size: int
    slide: int
    columns: tuple[WindowColumn, ...]
    emit: Emit = Emit()
    updates: bool = False

    @property
    def apart(self) -> bool:
        """Whether windows share nothing of what they hold: functions over pandas have the rows of a window in
        the order in which they came."""
        return any(call.user is not None and call.user.is_pandas for call in self.aggregate.calls)

    @property
    def sets_timers(self) -> bool:
        return self.time.column is None or self.emit.early is not None or self.emit.late is not None
