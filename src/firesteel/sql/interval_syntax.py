"""Syntax tree of intervals."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.sql.syntax import Node


@dataclass(frozen=True)
class IntervalLiteral(Node):
    """Literal such as `INTERVAL -'1 2' DAY(3) TO HOUR`. `unit` is in upper case and singular."""

    text: str
    unit: str
    negative: bool = False


@dataclass(frozen=True)
class IntervalOf(Node):
    """Interval of a computed number of units: `INTERVAL (n + 1) DAY`."""

    count: Node
    unit: str


@dataclass(frozen=True)
class IntervalBetween(Node):
    """Interval between two points in time: `(a - b) DAY TO SECOND`."""

    left: Node
    right: Node
    unit: str
