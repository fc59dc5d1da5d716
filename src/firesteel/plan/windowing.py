"""Windows of time: their definition, the columns by which operators find them, and their text in plans.

Flink: WindowSpec and its kinds, WindowingStrategy and its kinds, TimeUtils.formatWithHighestUnit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.tree import Field
from firesteel.types.sql import SqlType, timestamp, timestamp_ltz

WINDOW_COLUMNS: tuple[str, ...] = ("window_start", "window_end", "window_time")
"""Columns that a window function appends to its rows, in this order."""

GROUP_WINDOWS = {"TUMBLE": 1, "HOP": 2, "SESSION": 1}
"""Window functions of GROUP BY, and the number of lengths that each takes."""
AUXILIARIES = frozenset(
    f"{name}_{what}" for name in GROUP_WINDOWS for what in ("START", "END", "ROWTIME", "PROCTIME")
)
"""Auxiliary functions of group windows, such as TUMBLE_START."""

_BORDER = timestamp(3).with_nullable(False)
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms"))
_SIZE = {"TUMBLE": "size", "HOP": "size", "CUMULATE": "max_size", "SESSION": "gap"}
_STEP = {"HOP": "slide", "CUMULATE": "step"}


@dataclass(frozen=True)
class Window:
    """Windows of one function. Lengths are in milliseconds.

    Attributes:
        function: TUMBLE, HOP, CUMULATE or SESSION.
        size: Length. For CUMULATE the greatest length, for SESSION the gap.
        step: Slide of HOP, step of CUMULATE. None for others.
        offset: Offset of the windows' starts. None if the query has none.
        partition: Columns of PARTITION BY of SESSION.
    """

    function: str
    size: int
    step: int | None = None
    offset: int | None = None
    partition: tuple[int, ...] = ()

    @property
    def copies(self) -> int:
        """Number of windows that hold one row, as cost estimates assume: size / step, rounded down.

        1 for windows without a step.
        """
        return self.size // self.step if self.step else 1

    def moved(self, position: dict[int, int]) -> Window:
        """Return the windows over an input in which old column i is at `position[i]`."""
        return replace(self, partition=tuple(position[i] for i in self.partition))


@dataclass(frozen=True)
class Windowing:
    """Windows, and the columns by which an operator finds the windows of a row.

    Attributes:
        window: The windows.
        by: Kind and position of each of these columns. The column of kind `time_col` has the row's time.
            Columns `win_start` and `win_end` have window_start and window_end from a node below. `slice_end`
            has the end of the row's slice from the local phase of the aggregate.
        time_type: Type of the time attribute, NOT NULL.
        is_rowtime: Whether the time is event time. If False, it is processing time.
    """

    window: Window
    by: tuple[tuple[str, int], ...]
    time_type: SqlType
    is_rowtime: bool

    def at(self, *by: tuple[str, int]) -> Windowing:
        """Return these windows with `by` as the columns by which an operator finds them."""
        return replace(self, by=by)

    def column(self, kind: str) -> int | None:
        """Return the position of the column of a kind, None if there is none."""
        return dict(self.by).get(kind)

    def text(self, names: Sequence[str]) -> str:
        """Return the text in plans: `HOP(time_col=[ts], size=[1 h], slide=[5 min])`."""
        window = self.window
        parts = [f"{kind}=[{names[i]}]" for kind, i in self.by]
        parts.append(f"{_SIZE[window.function]}=[{duration_text(window.size)}]")
        if window.step is not None:
            parts.append(f"{_STEP[window.function]}=[{duration_text(window.step)}]")
        if window.offset is not None:
            parts.append(f"offset=[{duration_text(window.offset)}]")
        if window.partition:
            parts.append(f"partition keys=[{', '.join(names[i] for i in window.partition)}]")
        return f"{window.function}({', '.join(parts)})"


@dataclass(frozen=True)
class Emit:
    """Early and late results of a group window (Flink: WindowEmitStrategy).

    Attributes:
        early: Milliseconds of processing time between results before the window's end. 0: with every row.
            None: no early results.
        late: As `early`, but after the window's end.
        lateness: Milliseconds after the window's end in which late rows are accepted.
    """

    early: int | None = None
    late: int | None = None
    lateness: int = 0

    def __str__(self) -> str:
        """Return the text in plans: `early delay 1000 millisecond, late no delay`."""
        parts = [("early", self.early), ("late", self.late)]
        return ", ".join(f"{name} {_delay_text(delay)}" for name, delay in parts if delay is not None)


def _delay_text(millis: int) -> str:
    return f"delay {millis} millisecond" if millis else "no delay"


def duration_text(millis: int) -> str:
    """Return a duration in the greatest unit that needs no fraction: `90 s`, `2 min`, `0 ms`."""
    for length, unit in _UNITS:
        if millis and millis % length == 0:
            return f"{millis // length} {unit}"
    return "0 ms"


def window_fields(names: tuple[str, ...], time_type: SqlType) -> tuple[Field, ...]:
    """Return window columns of these names.

    window_time has the type `time_type`, all other columns are TIMESTAMP(3).
    """
    return tuple(Field(n, time_type if n == "window_time" else _BORDER) for n in names)


def window_aggregate_fields(
    keys: Sequence[Field], calls: Sequence[AggregateCall], properties: tuple[str, ...], time_type: SqlType
) -> tuple[Field, ...]:
    """Return the columns of an aggregate of windows: keys, results, and columns of the window."""
    return (*keys, *(Field(c.name, c.type) for c in calls), *window_fields(properties, time_type))


def renamed(fields: tuple[Field, ...], names: Sequence[str]) -> tuple[Field, ...]:
    """Return the columns under other names. If no names are given, the columns stay."""
    return tuple(Field(n, f.type) for n, f in zip(names, fields, strict=True)) if names else fields


def group_window_fields(
    keys: Sequence[Field], calls: Sequence[AggregateCall], properties: Sequence[str], time_type: SqlType
) -> tuple[Field, ...]:
    """Return the columns of an aggregate by a group window: keys, results, and columns of the window."""
    results = (Field(c.name or f"$f{i}", c.type) for i, c in enumerate(calls, len(keys)))
    return (*keys, *results, *(Field(name, property_type(name, time_type)) for name in properties))


def property_type(name: str, time_type: SqlType) -> SqlType:
    """Return the type of w$start, w$end, w$rowtime or w$proctime."""
    if name == "w$rowtime":
        return time_type.with_nullable(True)
    return timestamp_ltz(3) if name == "w$proctime" else timestamp(3).with_nullable(time_type.nullable)
