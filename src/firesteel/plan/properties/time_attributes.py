"""Which columns of a node carry event time or processing time, before and after planning.

Flink: the time indicator types *ROWTIME* and *PROCTIME*. A projection hands them on; what is computed
from them is a plain timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan.properties.property import OF_PHYSICAL, Fact
from firesteel.plan.tree import Node
from firesteel.plan.windowing import AUXILIARIES

Positions = frozenset[int]


class TimeAttributes(NamedTuple):
    """The columns that carry event time, and those that carry processing time."""

    event: Positions = frozenset()
    processing: Positions = frozenset()

    def of_kind(self, rowtime: bool) -> Positions:
        return self.event if rowtime else self.processing

    def mapped(self, change: Callable[[Positions, bool], Iterable[int]]) -> TimeAttributes:
        """Each kind changed by itself; change gets its columns, and whether they carry event time."""
        return TimeAttributes(frozenset(change(self.event, True)), frozenset(change(self.processing, False)))


NO_TIMES = TimeAttributes()

NOTHING_READ: Positions = frozenset()

time_attributes: Fact[TimeAttributes] = Fact("time attributes")
values_read: Fact[tuple[Positions, ...]] = Fact("values read", OF_PHYSICAL)
"""The columns of each input with whose values the node works: a time attribute among these is to be a plain
timestamp. What it hands on, and the time by which it knows its windows, are not."""


def event_times(node: Node) -> Positions:
    """The columns that carry event time."""
    return time_attributes(node).event


def processing_times(node: Node) -> Positions:
    """The columns that carry processing time."""
    return time_attributes(node).processing


def is_time(expr: Expr, times: Positions, rowtime: bool) -> bool:
    """Whether an expression over an input with these time attributes is one: of event time if rowtime, else
    of processing time."""
    if isinstance(expr, InputRef):
        return expr.index in times
    if not isinstance(expr, Call):
        return False
    if expr.function == "CAST" and expr.options:
        return expr.options == ("ROWTIME" if rowtime else "PROCTIME",)
    if expr.function in AUXILIARIES:
        return expr.function.endswith("_ROWTIME" if rowtime else "_PROCTIME")
    return not rowtime and expr.function == "PROCTIME"


def aggregated(keys: Sequence[int], calls: Sequence[AggregateCall]) -> Positions:
    """The columns that an aggregate groups by, and those that its calls work with."""
    return frozenset([*keys, *(i for call in calls for i in call.args)])
