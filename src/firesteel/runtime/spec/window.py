"""Settings of window operators (see runtime/spec/operators.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.types.sql import BIGINT, SqlType


class TimedSpec(OperatorSpec):
    """Settings of an operator that waits for watermarks."""

    @property
    def reads_watermarks(self) -> bool:
        return True


class WindowColumn(Enum):
    """A column about the window of a row.

    Attributes:
        START: Start of the window, in the time zone of the windows.
        END: End of the window, in the time zone of the windows.
        TIME: Last millisecond of the window, as a time attribute.
        CLOCK: Processing time at which the result is sent.
    """

    START = auto()
    END = auto()
    TIME = auto()
    CLOCK = auto()


@dataclass(frozen=True)
class WindowTime:
    """Time attribute that windows are based on.

    Attributes:
        column: Position of the row time, None for processing time.
        type: Type of the time attribute.
        zone: Time zone in which windows are cut. UTC for a time without a zone.
    """

    column: int | None
    type: SqlType
    zone: str = "UTC"


@dataclass(frozen=True)
class SessionWindows:
    """Session windows.

    Attributes:
        time: Time attribute of the rows.
        gap: Gap in milliseconds.
        borders: Positions of the input fields with the start and end of the session, if a window table
            function before this operator has assigned the sessions. Watermarks end such sessions. None if
            this operator assigns the sessions itself.
    """

    time: WindowTime
    gap: int
    borders: tuple[int, int] | None = None

    @property
    def is_rowtime(self) -> bool:
        """Whether watermarks end the sessions. If False, processing time does."""
        return self.time.column is not None or self.borders is not None


@dataclass(frozen=True)
class SessionWindowAggregateSpec(TimedSpec):
    """Aggregate by key and session.

    Flink: UnsliceSyncStateWindowAggProcessor; WindowOperator over a SessionWindowAssigner.

    Attributes:
        aggregate: Keys and calls.
        windows: The sessions.
        columns: Window columns after the results.
    """

    aggregate: GroupAggregateSpec
    windows: SessionWindows
    columns: tuple[WindowColumn, ...]

    @property
    def sets_timers(self) -> bool:
        return not self.windows.is_rowtime


@dataclass(frozen=True)
class SessionWindowTableFunctionSpec(TimedSpec):
    """SESSION table function without an aggregate (Flink: UnalignedWindowTableFunctionOperator).

    Attributes:
        keys: Positions of the partition keys of the sessions.
        input_types: Types of the input fields.
        windows: The sessions.
        state_id: Name of the state.
    """

    keys: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    windows: SessionWindows
    state_id: str = "session-window-table-function"

    @property
    def sets_timers(self) -> bool:
        return not self.windows.is_rowtime


@dataclass(frozen=True)
class WindowsSpec:
    """Windows that depend on time alone: TUMBLE, HOP and CUMULATE. Times are milliseconds.

    Attributes:
        function: TUMBLE, HOP or CUMULATE.
        size: Size of a window, for CUMULATE the greatest one.
        step: Slide of HOP, step of CUMULATE, size of TUMBLE.
        offset: Offset of the windows.
        of_group_by: Whether the windows are those of GROUP BY. If True, rows go to the state one by one, not
            through a buffer, and the slices of a HOP window are merged oldest first. If False, these slices
            are merged newest first.
    """

    function: str
    size: int
    step: int
    offset: int = 0
    of_group_by: bool = False


@dataclass(frozen=True)
class WindowTableFunctionSpec(OperatorSpec):
    """Append window_start, window_end and window_time to every row, once for each of its windows."""

    windows: WindowsSpec
    time: WindowTime


@dataclass(frozen=True)
class LocalWindowAggregateSpec(TimedSpec):
    """Local phase: turn rows into accumulators by key and slice.

    Attributes:
        aggregate: Keys and calls.
        windows: The windows.
        time: Time attribute of the rows.
        window_end: Position of the window end, if a window table function has assigned the window. None
            otherwise.
    """

    aggregate: GroupAggregateSpec
    windows: WindowsSpec
    time: WindowTime
    window_end: int | None = None


@dataclass(frozen=True)
class WindowAggregateSpec(TimedSpec):
    """Aggregate by key and window, and send the result when the window ends.

    Attributes:
        aggregate: Keys and calls.
        windows: The windows.
        time: Time attribute of the rows.
        columns: Window columns after the results.
        results: Number of calls that are output columns. Calls after them are not sent.
        window_end: Position of the window end, if a window table function has assigned the window. None
            otherwise.
        is_global: Whether the input are the accumulators of a local phase.
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
        """Whether watermarks end the windows. If False, processing time does."""
        return self.time.column is not None or self.window_end is not None

    @property
    def sets_timers(self) -> bool:
        return not self.is_rowtime


def sliced(aggregate: GroupAggregateSpec) -> GroupAggregateSpec:
    """Return the aggregate with one more input field and key, each the last one: the end of the slice."""
    end = BIGINT.with_nullable(False)
    keys = (*aggregate.keys, len(aggregate.input_types))
    return replace(aggregate, keys=keys, input_types=(*aggregate.input_types, end))


@dataclass(frozen=True)
class Emit:
    """When a window sends results before and after its end.

    Attributes:
        early: Milliseconds of processing time between two results before the end. 0 for a result with every
            row, None for none.
        late: Milliseconds between two results after the end, like `early`.
        lateness: How long after the end rows are accepted, in milliseconds of event time.
    """

    early: int | None = None
    late: int | None = None
    lateness: int = 0


@dataclass(frozen=True)
class GroupWindowAggregateSpec(TimedSpec):
    """Aggregate by key and TUMBLE or HOP of GROUP BY, row by row (Flink: AggregateWindowOperator).

    Attributes:
        aggregate: Keys and calls. Its `emit_update_before` decides whether the output has -U.
        time: Time attribute of the rows.
        size: Size of a window in milliseconds.
        slide: Slide in milliseconds, equal to `size` for TUMBLE.
        columns: Window columns after the results.
        emit: When results are sent before and after the end.
        updates: Whether a further result of a window is sent as an update of the window's earlier result, and
            only if it differs. If False, each result is sent as +I, even if it equals the earlier one.
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
        """Whether each window has an accumulator of its own. True if there are pandas functions.

        If False, windows share panes: stretches of time with one accumulator each, merged for a window.
        Pandas functions need the rows of a window in arrival order, which a merge does not keep.
        """
        return any(call.user is not None and call.user.is_pandas for call in self.aggregate.calls)

    @property
    def sets_timers(self) -> bool:
        return self.time.column is None or self.emit.early is not None or self.emit.late is not None
