"""Columns of a node that are the borders and the time of windows (Flink: FlinkRelMdWindowProperties).

A projection that hands a column on keeps it what it is; whatever is computed from one is a plain value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from firesteel.plan.properties.property import OF_LOGICAL, Fact
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Window
from firesteel.types.sql import SqlType

Positions = frozenset[int]


@dataclass(frozen=True)
class WindowProperties:
    """The columns that are window_start, window_end and window_time of these windows.

    Attributes:
        starts: Positions of window_start.
        ends: Positions of window_end.
        times: Positions of window_time.
        window: The windows.
        time_type: Type of their time attribute, NOT NULL.
        is_rowtime: Whether that is event time.
        padded: Those of these columns that are NULL where an outer join has found no partner. Flink takes
            them for borders; a row that has NULL there is in no window, and must not get lost.
    """

    starts: Positions
    ends: Positions
    times: Positions
    window: Window
    time_type: SqlType
    is_rowtime: bool
    padded: Positions = frozenset()

    @property
    def columns(self) -> Positions:
        return self.starts | self.ends | self.times

    def grouped(self, keys: Sequence[int]) -> bool:
        """Return whether these keys hold both borders, so that groups are (parts of) windows."""
        return bool(self.starts & set(keys)) and bool(self.ends & set(keys))

    def mapped(self, change: Callable[[Positions], Iterable[int]]) -> WindowProperties:
        """Return the windows by other columns."""
        every = (self.starts, self.ends, self.times, self.padded)
        starts, ends, times, padded = (frozenset(change(found)) for found in every)
        return replace(self, starts=starts, ends=ends, times=times, padded=padded)

    def over(self, window: Window) -> WindowProperties:
        """Return the same columns; the windows as they are told there."""
        return replace(self, window=window)

    def without_times(self) -> WindowProperties:
        """Return the same where no column is the windows' time."""
        return replace(self, times=frozenset())

    def together(self, other: WindowProperties) -> WindowProperties:
        """Return the columns of both, of which the other's belong to equal windows."""
        return replace(
            self,
            starts=self.starts | other.starts,
            ends=self.ends | other.ends,
            times=self.times | other.times,
            padded=self.padded | other.padded,
        )

    def padded_by_join(self) -> WindowProperties:
        """Return the columns of an input that an outer join pads."""
        return replace(self, padded=self.columns)

    def of_all_rows(self) -> WindowProperties:
        """Return the columns that tell a window for every row."""
        starts, ends, times = (found - self.padded for found in (self.starts, self.ends, self.times))
        return replace(self, starts=starts, ends=ends, times=times, padded=frozenset())

    def within(self, other: WindowProperties) -> WindowProperties:
        """Return the columns that are the same in both."""
        return replace(
            self,
            starts=self.starts & other.starts,
            ends=self.ends & other.ends,
            times=self.times & other.times,
            padded=self.padded | other.padded,
        )


window_properties: Fact[WindowProperties | None] = Fact("window properties", OF_LOGICAL)
"""The windows of a logical node's rows; None where they are in none, or no longer known by columns."""


def windows_of_all_rows(node: Node) -> WindowProperties | None:
    """Return the windows of a logical node's rows by the columns that are never NULL, None if it has none."""
    windows = window_properties(node)
    return None if windows is None else windows.of_all_rows()


def of_columns(first: int, window: Window, time_type: SqlType, is_rowtime: bool) -> WindowProperties:
    """Start, end and time, beginning at column `first`."""
    start, end, time = (frozenset({first + i}) for i in range(3))
    return WindowProperties(start, end, time, window, time_type, is_rowtime)
