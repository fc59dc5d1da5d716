"""Which columns of a node carry event time or processing time, before and after planning.

Flink: the time indicator types *ROWTIME* and *PROCTIME*. A projection hands them on; what is computed
from them is a plain timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from firesteel.expr.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan import physical
from firesteel.plan.facts.fact import OF_PHYSICAL, Fact, Reasons
from firesteel.plan.logical import Filter, Project
from firesteel.plan.tree import Node
from firesteel.plan.windows import AUXILIARIES

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

_UNASKED: Reasons = {
    **OF_PHYSICAL,
    physical.Calc: "each of its expressions tells by itself",
    physical.DropUpdateBefore: "it is put in when times are plain timestamps",
}
NOTHING_READ: Positions = frozenset()

time_attributes: Fact[TimeAttributes] = Fact("time attributes")
values_read: Fact[tuple[Positions, ...]] = Fact("values read", _UNASKED)
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


_SAME_TYPE = frozenset({"+", "-", "FLOOR", "CEIL", "COALESCE"})


def has_type_of_row_time(expr: Expr, below: Node) -> bool:
    """Whether an expression over this input has the type of a row time in Calcite, as what is computed from
    one by a function that gives its argument's type. A window of GROUP BY takes it by its value; nothing
    else does."""
    if isinstance(expr, InputRef):
        if expr.index in event_times(below):
            return True
        if isinstance(below, Filter):
            return has_type_of_row_time(expr, below.input)
        return isinstance(below, Project) and has_type_of_row_time(below.exprs[expr.index], below.input)
    if not isinstance(expr, Call) or expr.function not in _SAME_TYPE or not expr.type.is_datetime:
        return False
    return all(arg.type.is_interval or has_type_of_row_time(arg, below) for arg in expr.args)


def aggregated(keys: Sequence[int], calls: Sequence[AggregateCall]) -> Positions:
    """The columns that an aggregate groups by, and those that its calls work with."""
    return frozenset([*keys, *(i for call in calls for i in call.args)])
