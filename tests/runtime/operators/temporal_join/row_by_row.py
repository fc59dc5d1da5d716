"""A temporal join by the letter of Flink's operator, one event at a time, to hold ours against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Row = tuple[Any, ...]
"""(kind, value, ...)"""


@dataclass
class _Key:
    rows: dict[int, Row] = field(default_factory=dict)
    versions: dict[int, Row] = field(default_factory=dict)
    timer: int | None = None


@dataclass
class RowByRowTemporalJoin:
    """State by key: rows by arrival, versions by time, and one timer.

    Attributes:
        pads: Whether rows without a version are sent.
        key: Position of the key in the rows of both inputs, the kind being 0.
        time: Position of the time in both.
        width: Number of fields of a version.
        holds: Condition over both rows.
    """

    pads: bool
    key: int
    time: int
    width: int
    holds: Callable[[Row, Row], bool] = lambda row, version: True

    def __post_init__(self) -> None:
        self.keys: dict[Any, _Key] = {}
        self.marks = [-(1 << 63), -(1 << 63)]
        self.now = -(1 << 63)
        self.came = 0

    def row(self, row: Row) -> None:
        self.came += 1
        state = self.keys.setdefault(row[self.key], _Key())
        state.rows[self.came] = row
        self._set_timer(state, row[self.time])

    def version(self, row: Row) -> None:
        state = self.keys.setdefault(row[self.key], _Key())
        state.versions[row[self.time]] = row
        self._set_timer(state, row[self.time])

    def _set_timer(self, state: _Key, time: int) -> None:
        state.timer = time if state.timer is None else min(state.timer, time)

    def watermark(self, time: int, port: int) -> list[Row]:
        """Return what leaves: of each key in the order of arrival."""
        self.marks[port] = max(self.marks[port], time)
        if min(self.marks) <= self.now:
            return []
        self.now = min(self.marks)
        sent: list[tuple[int, Row]] = []
        for state in self.keys.values():
            if state.timer is not None and state.timer <= self.now:
                sent += self._fire(state)
        return [row for _, row in sorted(sent, key=lambda each: each[0])]

    def _fire(self, state: _Key) -> list[tuple[int, Row]]:
        times = sorted(state.versions)
        sent = []
        for number, row in list(state.rows.items()):
            if row[self.time] > self.now:
                continue
            del state.rows[number]
            known = [time for time in times if time <= row[self.time]]
            version = state.versions[known[-1]] if known else None
            if version is not None and version[0] in ("+I", "+U") and self.holds(row, version):
                sent.append((number, (*row, *version[1:])))
            elif self.pads:
                sent.append((number, (*row, *[None] * self.width)))
        for time in [time for time in times if time <= self.now][:-1]:
            del state.versions[time]
        state.timer = min((row[self.time] for row in state.rows.values()), default=None)
        return sent
