"""Windows of GROUP BY, row by row: accumulators by pane, merged to the results of windows.

Flink: WindowOperator with GeneralWindowProcessFunction (TUMBLE) and PanedWindowProcessFunction (HOP). The
length of a pane is the greatest common divisor of size and slide. Panes are merged oldest first. Starts and
ends of windows are wall clocks in the windows' time zone. Timers are instants of event time or processing
time. Both are in milliseconds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from firesteel.runtime.aggregate.row_engine.handler import GeneratedHandler
from firesteel.runtime.aggregate.row_engine.result_equality import equals_itself
from firesteel.runtime.operators.window.per_row.triggers import OpenWindow
from firesteel.runtime.operators.window.zones import to_timers
from firesteel.runtime.spec.window import GroupWindowAggregateSpec

Values = tuple[Any, ...]


@dataclass
class KeyedWindows:
    """Open windows of one key.

    Attributes:
        name: Hashes of the key.
        key: Values of the key, in internal form.
        panes: Accumulators by the start of their pane.
        windows: Windows by their start.
    """

    name: tuple[int, int]
    key: Values
    panes: dict[int, Values] = field(default_factory=dict)
    windows: dict[int, OpenWindow] = field(default_factory=dict)


class WindowLengths:
    """Starts, panes and firing times of windows. Windows with pandas functions have one pane each."""

    def __init__(self, spec: GroupWindowAggregateSpec) -> None:
        self.size, self.slide = spec.size, spec.slide
        self._pane = math.gcd(spec.size, spec.slide)
        self._apart = spec.apart
        self.paned = not spec.apart and spec.size != self._pane
        self._lateness = spec.emit.lateness
        self._timer = _timers(spec.time.zone)

    def starts(self, time: int) -> range:
        """Return the starts of the windows that contain a time, latest first."""
        return range(time - time % self.slide, time - self.size, -self.slide)

    def panes(self, start: int) -> range:
        """Return the starts of a window's panes."""
        return range(start, start + self.size, self.size if self._apart else self._pane)

    def panes_of(self, time: int, starts: list[int]) -> list[int]:
        """Return the starts of the panes that a row is added to. `starts` are those of its windows."""
        return starts if self._apart else [time - time % self._pane]

    def last_start(self, pane: int) -> int:
        """Return the start of the last window that contains a pane."""
        return pane if self._apart else pane - pane % self.slide

    def end_time(self, start: int) -> int:
        """Return the time at which a window fires at its end."""
        return self._timer(start + self.size - 1)

    def late_time(self, start: int) -> int:
        """Return the least watermark at which a window's rows are late."""
        return self._timer(start + self.size - 1 + self._lateness)

    def clear_time(self, start: int) -> int:
        """Return the time at which a window is dropped: its end minus 1 ms, plus the allowed lateness.

        If this wall clock is before the beginning of 1970, the beginning of 1970 is taken instead.
        """
        return self._timer(max(0, start + self.size - 1 + self._lateness))


def _timers(zone: str) -> Callable[[int], int]:
    if zone == "UTC":
        return lambda clock: clock

    @lru_cache(maxsize=4096)
    def timer(clock: int) -> int:
        return int(to_timers(np.array([clock]), zone)[0])

    return timer


class Calls:
    """Aggregate calls over accumulators, run by the generated row handler."""

    def __init__(self, spec: GroupWindowAggregateSpec, generated: GeneratedHandler, paned: bool) -> None:
        self._handler = generated.create()
        self._paned = paned
        of = spec.aggregate
        names = [slot.name for slot in generated.slots]
        self._records = None if of.records is None else names.index(of.records)
        tests = ((i, equals_itself(call)) for i, call in enumerate(of.calls))
        self._nested = [(i, test) for i, test in tests if test]

    def add(self, accumulator: Values | None, row: Values, retracts: bool) -> Values:
        """Return the accumulator with a row added or retracted. None stands for an empty accumulator."""
        handler = self._handler
        if accumulator is None:
            handler.reset_accumulators()
        else:
            handler.set_accumulators(accumulator)
        (handler.retract if retracts else handler.accumulate)(*row)
        added: Values = handler.get_accumulators()
        return added

    def result(self, panes: Iterator[Values]) -> Values | None:
        """Return the result of a window's panes, None if all their rows were retracted."""
        handler = self._handler
        handler.reset_accumulators()
        for accumulator in panes:
            if self._paned:
                handler.merge(accumulator)
            else:
                handler.set_accumulators(accumulator)
        if self._records is not None and handler.get_accumulators()[self._records] == 0:
            return None
        found: Values = handler.get_value()
        return found

    def same(self, before: Values, after: Values) -> bool:
        """Return whether two results are equal. NaN equals no value."""
        equal = all(a == b for a, b in zip(before, after, strict=True))
        return equal and all(test(after[i]) for i, test in self._nested)
