"""MaxWithRetractAggFunction, step by step as Flink has it, for input that retracts what was never there."""

from __future__ import annotations


class MaxWithRetract:
    """Accumulator: the maximum, how many values are there, and how often each is (maybe less than 0)."""

    def __init__(self) -> None:
        self.max: int | None = None
        self.map_size = 0
        self.map: dict[int, int] = {}

    def accumulate(self, value: int | None) -> None:
        if value is None:
            return
        if self.map_size == 0 or self.max is None or self.max < value:
            self.max = value
        count = self.map.get(value, 0) + 1
        if count == 0:
            del self.map[value]
            return
        if count == 1:
            self.map_size += 1
        self.map[value] = count

    def retract(self, value: int | None) -> None:
        if value is None:
            return
        count = self.map.get(value, 0) - 1
        if count != 0:
            self.map[value] = count
            return
        del self.map[value]
        self.map_size -= 1
        if self.map_size == 0:
            self.max = None
        elif value == self.max:
            self.max = max(self.map) if self.map else None

    def value(self) -> int | None:
        return self.max if self.map_size > 0 else None
