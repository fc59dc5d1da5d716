"""Sets of values as ascending ranges that do not touch (Guava: TreeRangeSet)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Range:
    """Values between two bounds. A bound of None is infinite and open."""

    low: Any = None
    high: Any = None
    low_closed: bool = False
    high_closed: bool = False

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.high is not None and bool(self.low == self.high)

    @property
    def is_open(self) -> bool:
        """Whether one side is infinite, so that a single comparison expresses the range."""
        return self.low is None or self.high is None


ALL = Range()


def of_comparison(function: str, value: Any) -> tuple[Range, ...]:
    """Return the ranges of the values x for which `x function value` is TRUE."""
    if function == "<>":
        return (Range(high=value), Range(low=value))
    return {
        "=": (Range(value, value, True, True),),
        "<": (Range(high=value),),
        "<=": (Range(high=value, high_closed=True),),
        ">": (Range(low=value),),
        ">=": (Range(low=value, low_closed=True),),
    }[function]


def union(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges in ascending order. Ranges that overlap or touch are merged."""
    ordered = sorted(ranges, key=_Low)
    merged: list[Range] = []
    for r in ordered:
        if merged and _connected(merged[-1], r):
            merged[-1] = _joined(merged[-1], r)
        else:
            merged.append(r)
    return tuple(merged)


class _Low:
    """Sort key of a range: its lower bound. A closed bound is before an open one."""

    def __init__(self, r: Range) -> None:
        self.r = r

    def __lt__(self, other: _Low) -> bool:
        a, b = self.r, other.r
        if a.low is None or b.low is None:
            return a.low is None and b.low is not None
        if a.low == b.low:
            return a.low_closed and not b.low_closed
        return bool(a.low < b.low)


def _connected(a: Range, b: Range) -> bool:
    if a.high is None or b.low is None:
        return True
    if a.high == b.low:
        return a.high_closed or b.low_closed
    return bool(a.high > b.low)


def _joined(a: Range, b: Range) -> Range:
    if a.high is None or b.high is None:
        return Range(a.low, None, a.low_closed, False)
    if a.high == b.high:
        return Range(a.low, a.high, a.low_closed, a.high_closed or b.high_closed)
    last = a if a.high > b.high else b
    return Range(a.low, last.high, a.low_closed, last.high_closed)


def complement(ranges: Iterable[Range]) -> tuple[Range, ...]:
    """Return the ranges of all values outside the ranges."""
    found: list[Range] = []
    low, low_closed, started = None, False, False
    for r in union(ranges):
        if started or r.low is not None:
            found.append(Range(low, r.low, low_closed, not r.low_closed))
        if r.high is None:
            return tuple(found)
        low, low_closed, started = r.high, not r.high_closed, True
    found.append(Range(low, None, low_closed, False))
    return tuple(found)


def intersection(a: Iterable[Range], b: Iterable[Range]) -> tuple[Range, ...]:
    return complement((*complement(a), *complement(b)))


def encloses(a: Iterable[Range], b: Iterable[Range]) -> bool:
    """Return whether every value of b is in a."""
    return not intersection(complement(a), b)
