"""Flink's functions of OVER, row by row, one key at a time: RowTimeUnboundedPrecedingOverFunctionV2,
RowTimeRowsBoundedPrecedingFunction, RowTimeRangeBoundedPrecedingFunction. The calls are SUM and COUNT.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Out = tuple[str, int, int, int, int]
"""key, value, time, sum, count"""


@dataclass
class KeyOver:
    """What the functions keep of a key. inputs: rows by time."""

    key: str
    rows: bool
    preceding: int | None
    inputs: dict[int, list[int]] = field(default_factory=dict)
    timers: set[int] = field(default_factory=set)
    total: int = 0
    count: int = 0
    last: int = 0
    cleanup: int | None = None
    held: int = 0

    def element(self, value: int, time: int, mark: int) -> bool:
        """A row comes while this watermark stands; whether it is taken."""
        if time <= (mark if self.preceding is None else self.last):
            return False
        self.inputs.setdefault(time, []).append(value)
        self.timers.add(time)
        if not self.rows and self.preceding is not None:
            self.forget_later(time, self.preceding)
        return True

    def forget_later(self, time: int, preceding: int) -> None:
        if self.cleanup is None or self.cleanup < time + preceding + 1:
            self.cleanup = time + int(preceding * 1.5) + 1
            self.timers.add(self.cleanup)

    def timer(self, time: int) -> list[Out]:
        """An event time timer rings."""
        self.timers.discard(time)
        if self.preceding is None:
            values, out = self.inputs.pop(time), []
            for value in values:
                self.add(value)
                out.append(self.result(value, time))
            return out if self.rows else [self.result(value, time) for value in values]
        if self.cleanup is not None and self.cleanup <= time:
            self.inputs.clear()
            self.total = self.count = self.last = 0
            self.cleanup = None
            return []
        found = self.rows_bounded(time) if self.rows else self.range_bounded(time)
        self.last = time
        return found

    def rows_bounded(self, time: int) -> list[Out]:
        out = []
        for value in list(self.inputs[time]):
            assert self.preceding is not None
            if self.held >= self.preceding + 1:
                oldest = min(self.inputs)
                gone = self.inputs[oldest].pop(0)
                if not self.inputs[oldest]:
                    del self.inputs[oldest]
                self.add(gone, -1)
            else:
                self.held += 1
            self.add(value)
            out.append(self.result(value, time))
        return out

    def range_bounded(self, time: int) -> list[Out]:
        if time not in self.inputs:
            return []
        assert self.preceding is not None
        for old in [t for t in self.inputs if time - t > self.preceding]:
            for value in self.inputs.pop(old):
                self.add(value, -1)
        for value in self.inputs[time]:
            self.add(value)
        return [self.result(value, time) for value in self.inputs[time]]

    def add(self, value: int, sign: int = 1) -> None:
        self.total += sign * value
        self.count += sign

    def result(self, value: int, time: int) -> Out:
        return (self.key, value, time, self.total, self.count)


class ReferenceOver:
    """All keys. rows: ROWS, else RANGE. late: how many rows were dropped."""

    def __init__(self, rows: bool, preceding: int | None) -> None:
        self._rows, self._preceding = rows, preceding
        self._keys: dict[str, KeyOver] = {}
        self._mark = -(1 << 63)
        self.late = 0

    def element(self, key: str, value: int, time: int) -> None:
        state = self._keys.setdefault(key, KeyOver(key, self._rows, self._preceding))
        self.late += not state.element(value, time, self._mark)

    def watermark(self, mark: int) -> list[Out]:
        """What a watermark sends out, by time, then by key."""
        self._mark = mark
        out = []
        while due := [
            (min(s.timers), k) for k, s in self._keys.items() if s.timers and min(s.timers) <= mark
        ]:
            time, key = min(due)
            out += self._keys[key].timer(time)
        return out
