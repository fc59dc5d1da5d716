"""What the operators of windows are told (runtime/spec.py has the others)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from firesteel.runtime.spec import GroupAggregateSpec, OperatorSpec
from firesteel.types.sql import SqlType


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
class SessionWindowAggregateSpec(OperatorSpec):
    """Aggregation by key and session (Flink: UnsliceSyncStateWindowAggProcessor; WindowOperator over a
    SessionWindowAssigner).

    aggregate: keys and calls. columns: of the window, behind the results.
    """

    aggregate: GroupAggregateSpec
    windows: SessionWindows
    columns: tuple[WindowColumn, ...]


@dataclass(frozen=True)
class SessionWindowTableFunctionSpec(OperatorSpec):
    """SESSION without an aggregate (Flink: UnalignedWindowTableFunctionOperator). keys: by which sessions are
    kept apart."""

    keys: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    windows: SessionWindows
    state_id: str = "session-window-table-function"
