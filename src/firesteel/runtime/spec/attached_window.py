"""Settings of operators whose rows carry the borders of their windows: ranks and joins of windows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.window import TimedSpec
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class AttachedWindow:
    """Columns with the window of a row (Flink: WindowAttachedWindowingStrategy).

    Attributes:
        start: Position of the window's start, a TIMESTAMP(3). NULL only in a row padded by an outer join.
        end: Position of the window's end, a TIMESTAMP(3). NULL only in a row padded by an outer join.
        zone: Time zone in which the windows are cut. UTC for a row time without a zone.
    """

    start: int
    end: int
    zone: str = "UTC"


@dataclass(frozen=True)
class WindowRankSpec(TimedSpec):
    """The first rows of each window and partition, sent at the window's end.

    Flink: StreamExecWindowRank and StreamExecWindowDeduplicate.

    The input has only +I. The last output field is the rank (BIGINT) if `with_number`.

    Attributes:
        input_types: Types of the input fields.
        window: Columns with the window.
        partition: Positions of the PARTITION BY fields without those of the window.
        sort: Positions of the ORDER BY fields.
        orders: Sort order of each of these fields.
        start: First rank.
        end: Last rank.
        with_number: Whether the rank is an output field.
        last_first: Whether, among rows with equal sort keys, the row that came last ranks first. True if the
            last row by time is kept.
        state_id: Name of the state.
    """

    input_types: tuple[SqlType, ...]
    window: AttachedWindow
    partition: tuple[int, ...]
    sort: tuple[int, ...]
    orders: tuple[SortOrder, ...]
    start: int
    end: int
    with_number: bool = False
    last_first: bool = False
    state_id: str = "window-rank"


class WindowJoinKind(Enum):
    """Kind of a join of windows: the rows that it sends."""

    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"
    ANTI = "anti"

    @property
    def has_right_columns(self) -> bool:
        """Whether the output has the fields of the right input."""
        return self not in (WindowJoinKind.SEMI, WindowJoinKind.ANTI)

    def pads(self, port: int) -> bool:
        """Whether rows of a port are sent without a partner, with NULLs for the other input's fields."""
        own = WindowJoinKind.LEFT if port == 0 else WindowJoinKind.RIGHT
        return self in (own, WindowJoinKind.FULL)


@dataclass(frozen=True)
class WindowJoinInput:
    """One input of a join of windows.

    Attributes:
        types: Types of its fields.
        keys: Positions of the join key fields, in the same order as those of the other input.
        window: Columns with the window.
    """

    types: tuple[SqlType, ...]
    keys: tuple[int, ...]
    window: AttachedWindow


@dataclass(frozen=True)
class WindowJoinSpec(TimedSpec):
    """Join of the rows of equal windows, at their end (Flink: WindowJoinOperator). Both inputs have only +I.

    Attributes:
        kind: Which rows are sent.
        inputs: The left input (port 0) and the right one (port 1).
        null_safe: For each key whether NULL equals NULL (IS NOT DISTINCT FROM).
        condition: Condition besides the keys, over the left input's fields, then the right input's. None for
            no condition.
        state_id: Name of the state.
    """

    kind: WindowJoinKind
    inputs: tuple[WindowJoinInput, WindowJoinInput]
    null_safe: tuple[bool, ...]
    condition: CalcSpec | None = None
    state_id: str = "window-join"

    @property
    def port_order(self) -> tuple[int, ...]:
        return 0, 1
