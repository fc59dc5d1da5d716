"""Time attributes of a node: the columns that carry event time or processing time.

Flink: the time indicator types *ROWTIME* and *PROCTIME*. A projection that outputs such a column unchanged
keeps the attribute. An expression over it is an ordinary timestamp, which is no time attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan.properties.property import OF_PHYSICAL, NodeProperty
from firesteel.plan.tree import Node
from firesteel.plan.windowing import AUXILIARIES

Positions = frozenset[int]


class TimeAttributes(NamedTuple):
    """Columns that carry event time, and columns that carry processing time."""

    event: Positions = frozenset()
    processing: Positions = frozenset()

    def of_kind(self, rowtime: bool) -> Positions:
        return self.event if rowtime else self.processing

    def mapped(self, change: Callable[[Positions, bool], Iterable[int]]) -> TimeAttributes:
        """Return the time attributes after a change of the columns, such as a projection.

        The change is applied to both sets.

        Args:
            change: Called for each set. Gets the columns, and whether they carry event time.
        """
        return TimeAttributes(frozenset(change(self.event, True)), frozenset(change(self.processing, False)))


NO_TIMES = TimeAttributes()

NOTHING_READ: Positions = frozenset()

time_attributes: NodeProperty[TimeAttributes] = NodeProperty("time attributes")
values_read: NodeProperty[tuple[Positions, ...]] = NodeProperty("values read", OF_PHYSICAL)
"""Columns of each input whose values the node reads.

Right below the node, the planner converts time attributes among them to plain timestamps. Columns that the
node only passes on do not count, nor does the time that assigns a row to its windows.
"""


def event_times(node: Node) -> Positions:
    """Return the columns that carry event time."""
    return time_attributes(node).event


def processing_times(node: Node) -> Positions:
    """Return the columns that carry processing time."""
    return time_attributes(node).processing


def is_time(expr: Expr, times: Positions, rowtime: bool) -> bool:
    """Return whether an expression is a time attribute.

    Args:
        expr: Expression over an input.
        times: Columns of the input that carry this kind of time.
        rowtime: True for event time, False for processing time.
    """
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
    """Return the columns that an aggregate groups by or aggregates."""
    return frozenset([*keys, *(i for call in calls for i in call.args)])
