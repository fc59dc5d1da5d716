"""Windows of time: what assigns them, how an operator knows its rows' windows, and how plans print both.

Flink: WindowSpec and its kinds, WindowingStrategy and its kinds, TimeUtils.formatWithHighestUnit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.tree import Field
from firesteel.types.sql import SqlType, timestamp, timestamp_ltz

WINDOW_COLUMNS: tuple[str, ...] = ("window_start", "window_end", "window_time")
"""What a window function adds to its rows, in this order."""

GROUP_WINDOWS = {"TUMBLE": 1, "HOP": 2, "SESSION": 1}
"""The windows of GROUP BY, and how many lengths they have."""
AUXILIARIES = frozenset(
    f"{name}_{what}" for name in GROUP_WINDOWS for what in ("START", "END", "ROWTIME", "PROCTIME")
)
"""What a query asks of a group window."""

_BORDER = timestamp(3).with_nullable(False)
_UNITS = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms"))
_SIZE = {"TUMBLE": "size", "HOP": "size", "CUMULATE": "max_size", "SESSION": "gap"}
_STEP = {"HOP": "slide", "CUMULATE": "step"}


@dataclass(frozen=True)
class Window:
    """The windows of one function, its lengths in milliseconds.

    function: TUMBLE, HOP, CUMULATE or SESSION. size: CUMULATE's greatest, SESSION's gap. step: HOP's
    slide, CUMULATE's step. partition: the columns by which SESSION keeps rows apart.
    """

    function: str
    size: int
    step: int | None = None
    offset: int | None = None
    partition: tuple[int, ...] = ()

    @property
    def copies(self) -> int:
        """In how many windows a row is, at most; SESSION's is in one."""
        return self.size // self.step if self.step else 1

    def moved(self, position: dict[int, int]) -> Window:
        """The same over an input whose column `position[i]` is the old column i."""
        return replace(self, partition=tuple(position[i] for i in self.partition))


@dataclass(frozen=True)
class Windowing:
    """How an operator knows its rows' windows.

    by: the columns that tell, each with what it is: `time_col` the time itself; `win_start`, `win_end`
    the borders that a function below has put there; `slice_end` the end of a slice. time_type: of the
    time attribute, NOT NULL. is_rowtime: event time, else processing time.
    """

    window: Window
    by: tuple[tuple[str, int], ...]
    time_type: SqlType
    is_rowtime: bool

    def at(self, *by: tuple[str, int]) -> Windowing:
        """The same windows, told by other columns."""
        return replace(self, by=by)

    def column(self, kind: str) -> int | None:
        """The column that is this, if there is one."""
        return dict(self.by).get(kind)

    def text(self, names: Sequence[str]) -> str:
        """`HOP(time_col=[ts], size=[1 h], slide=[5 min])`."""
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
    """Results of a group window before its end and after it (Flink: WindowEmitStrategy). early, late:
    milliseconds of processing time between two of them, 0 for one with every row, None for none. lateness:
    how long after its end rows are taken, in milliseconds.
    """

    early: int | None = None
    late: int | None = None
    lateness: int = 0

    def __str__(self) -> str:
        """`early delay 1000 millisecond, late no delay`."""
        parts = [("early", self.early), ("late", self.late)]
        return ", ".join(f"{name} {_delay_text(delay)}" for name, delay in parts if delay is not None)


def _delay_text(millis: int) -> str:
    return f"delay {millis} millisecond" if millis else "no delay"


def duration_text(millis: int) -> str:
    """In the greatest unit that has no fraction: `90 s`, `2 min`, `0 ms`."""
    for length, unit in _UNITS:
        if millis and millis % length == 0:
            return f"{millis // length} {unit}"
    return "0 ms"


def window_fields(names: tuple[str, ...], time_type: SqlType) -> tuple[Field, ...]:
    """Columns of these names: the borders are TIMESTAMP(3), the time is what the window is over."""
    return tuple(Field(n, time_type if n == "window_time" else _BORDER) for n in names)


def window_aggregate_fields(
    keys: Sequence[Field], calls: Sequence[AggregateCall], properties: tuple[str, ...], time_type: SqlType
) -> tuple[Field, ...]:
    """The columns of an aggregate of windows: keys, results, and those of the window's that it gives."""
    return (*keys, *(Field(c.name, c.type) for c in calls), *window_fields(properties, time_type))


def renamed(fields: tuple[Field, ...], names: Sequence[str]) -> tuple[Field, ...]:
    """Under other names, where there are any."""
    return tuple(Field(n, f.type) for n, f in zip(names, fields, strict=True)) if names else fields


def group_window_fields(
    keys: Sequence[Field], calls: Sequence[AggregateCall], properties: Sequence[str], time_type: SqlType
) -> tuple[Field, ...]:
    """The columns of an aggregate of group windows: keys, results, and what the query reads of the window."""
    results = (Field(c.name or f"$f{i}", c.type) for i, c in enumerate(calls, len(keys)))
    return (*keys, *results, *(Field(name, property_type(name, time_type)) for name in properties))


def property_type(name: str, time_type: SqlType) -> SqlType:
    """The type of w$start, w$end, w$rowtime or w$proctime."""
    if name == "w$rowtime":
        return time_type.with_nullable(True)
    return timestamp_ltz(3) if name == "w$proctime" else timestamp(3).with_nullable(time_type.nullable)
