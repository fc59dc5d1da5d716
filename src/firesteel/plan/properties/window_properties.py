"""Columns of a node with the start, end or time of windows (Flink: FlinkRelMdWindowProperties).

If a projection outputs such a column unchanged, it still counts as one. An expression over it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from firesteel.plan.properties.property import OF_LOGICAL, NodeProperty
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Window
from firesteel.types.sql import SqlType

Positions = frozenset[int]


@dataclass(frozen=True)
class WindowProperties:
    """Columns with window_start, window_end and window_time of some windows.

    Attributes:
        starts: Positions of window_start.
        ends: Positions of window_end.
        times: Positions of window_time.
        window: Function and lengths of the windows.
        time_type: Type of their time attribute, NOT NULL.
        is_rowtime: Whether it is event time.
        padded: Those of the positions above that an outer join may pad with NULL. A padded row is in no
            window. In Flink, these columns count like the others, and operators by windows lose padded rows.
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
        """Return whether keys contain window_start and window_end, so that each group is in one window."""
        return bool(self.starts & set(keys)) and bool(self.ends & set(keys))

    def mapped(self, change: Callable[[Positions], Iterable[int]]) -> WindowProperties:
        """Return the properties after their columns have moved to new positions.

        Args:
            change: Returns the new positions of a set of columns.
        """
        every = (self.starts, self.ends, self.times, self.padded)
        starts, ends, times, padded = (frozenset(change(found)) for found in every)
        return replace(self, starts=starts, ends=ends, times=times, padded=padded)

    def over(self, window: Window) -> WindowProperties:
        """Return a copy of the properties in which `window` replaces the windows. The columns stay."""
        return replace(self, window=window)

    def without_times(self) -> WindowProperties:
        """Return the windows without time columns."""
        return replace(self, times=frozenset())

    def together(self, other: WindowProperties) -> WindowProperties:
        """Return the columns of both sides of a join of equal windows."""
        return replace(
            self,
            starts=self.starts | other.starts,
            ends=self.ends | other.ends,
            times=self.times | other.times,
            padded=self.padded | other.padded,
        )

    def padded_by_join(self) -> WindowProperties:
        """Return the windows with all columns marked as padded by an outer join."""
        return replace(self, padded=self.columns)

    def of_all_rows(self) -> WindowProperties:
        """Return the windows with only the columns that are never padded."""
        starts, ends, times = (found - self.padded for found in (self.starts, self.ends, self.times))
        return replace(self, starts=starts, ends=ends, times=times, padded=frozenset())

    def within(self, other: WindowProperties) -> WindowProperties:
        """Return the window columns that are in these properties and in `other`."""
        return replace(
            self,
            starts=self.starts & other.starts,
            ends=self.ends & other.ends,
            times=self.times & other.times,
            padded=self.padded | other.padded,
        )


window_properties: NodeProperty[WindowProperties | None] = NodeProperty("window properties", OF_LOGICAL)
"""Windows of a logical node's rows, and the columns with their start, end and time.

None if the rows are in no windows, or if a projection passes on no input column, or drops a PARTITION BY
column of SESSION.
"""


def windows_of_all_rows(node: Node) -> WindowProperties | None:
    """Return the windows of a logical node in columns that are never NULL, None if there are none."""
    windows = window_properties(node)
    return None if windows is None else windows.of_all_rows()


def of_columns(first: int, window: Window, time_type: SqlType, is_rowtime: bool) -> WindowProperties:
    """Return windows whose start, end and time are the columns from `first` on."""
    start, end, time = (frozenset({first + i}) for i in range(3))
    return WindowProperties(start, end, time, window, time_type, is_rowtime)
