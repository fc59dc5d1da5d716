"""Comparisons of a time attribute of the left input of a join with one of the right input.

Flink: IntervalJoinUtil.identifyTimePredicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import conjuncts, input_refs
from firesteel.plan.properties.time_attributes import TimeAttributes, time_attributes
from firesteel.plan.simplify.cnf import to_cnf
from firesteel.plan.tree import Node
from firesteel.rules.join.time_offset import time_offset

_COMPARISONS = ("<", "<=", "=", ">=", ">")


@dataclass(frozen=True)
class ComparedTimes:
    """Comparison of time attributes of both inputs of a join.

    Attributes:
        call: The comparison.
        is_rowtime: Whether the attributes are event time.
        left: Position of the left input's attribute.
        right: Position of the right input's attribute.
        swapped: Whether the right input's attribute is the first operand.
    """

    call: Call
    is_rowtime: bool
    left: int
    right: int
    swapped: bool

    @property
    def is_equality(self) -> bool:
        return self.call.function == "="

    @property
    def is_lower(self) -> bool:
        """Whether the comparison is a lower bound of the left time."""
        return (self.call.function in (">", ">=")) != self.swapped

    @property
    def bound(self) -> int | None:
        """Bound that the comparison sets for left time - right time, in milliseconds.

        If `is_lower`, it is the least difference, otherwise the greatest. For an equality, it is both. None
        if it is no constant.
        """
        offsets = [time_offset(arg) for arg in self.call.args]
        own, other = offsets[::-1] if self.swapped else offsets
        if own is None or other is None:
            return None
        open_bound = self.call.function in ("<", ">")
        return other - own + (0 if not open_bound else 1 if self.is_lower else -1)


def compared_times(condition: Expr, left: Node, right: Node) -> Iterator[tuple[Expr, ComparedTimes | None]]:
    """Yield each term of a join's condition, with the comparison of times that it is, or None.

    Args:
        condition: The condition, over the columns of the left input, then those of the right one.
        left: The left input.
        right: The right input.
    """
    times = time_attributes(left), time_attributes(right)
    for term in conjuncts(to_cnf(condition)):
        yield term, _compared(term, len(left.schema), times)


def _compared(term: Expr, width: int, times: Sequence[TimeAttributes]) -> ComparedTimes | None:
    if not isinstance(term, Call) or term.function not in _COMPARISONS:
        return None
    read = [input_refs(arg) for arg in term.args]
    if any(len(each) != 1 for each in read):
        return None
    one, other = (each[0] for each in read)
    if (one < width) == (other < width):
        return None
    left, right = sorted((one, other))
    right -= width
    for rowtime in (True, False):
        if left in times[0].of_kind(rowtime) and right in times[1].of_kind(rowtime):
            return ComparedTimes(term, rowtime, left, right, swapped=one >= width)
    return None
