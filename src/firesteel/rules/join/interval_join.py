"""A join whose condition bounds the times of both inputs is an interval join.

Flink: StreamPhysicalIntervalJoinRule, IntervalJoinUtil. The condition has two comparisons that bound the
difference of two time attributes from below and from above, or one equality of them. One bound alone, a
third comparison, or a bound that depends on the rows leaves a regular join, as in Flink.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import TRUE, conjunction, conjuncts, input_refs
from firesteel.plan.nodes.interval_join.physical import IntervalBounds, IntervalJoin
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.properties.time_attributes import TimeAttributes, time_attributes
from firesteel.plan.simplify.cnf import to_cnf
from firesteel.plan.tree import Node
from firesteel.rules.join.time_offset import time_offset

_COMPARISONS = ("<", "<=", "=", ">=", ">")


def interval_join(node: Join, left: Node, right: Node) -> IntervalJoin | None:
    """Return the interval join of a logical join, None if it is no such join.

    Args:
        node: The logical join.
        left: Its left input as a physical node.
        right: Its right input as a physical node.

    Raises:
        ValidationError: The times are of two types, or a join by processing time reads a row time.
    """
    if not node.join_type.has_right_columns:
        return None
    times = _times(left, right)
    terms = conjuncts(to_cnf(node.condition))
    compared = [_compared(term, node.left_width, times) for term in terms]
    found = [each for each in compared if each is not None]
    limits = _limits(found)
    if limits is None:
        return None
    first = found[0]
    rest = [term for term, each in zip(terms, compared, strict=True) if each is None]
    bounds = IntervalBounds(first.is_rowtime, *limits, first.left, first.right)
    _check(bounds, left, right, first.call.range)
    joined = IntervalJoin(
        (left, right), node.join_type, node.condition, conjunction(rest) or TRUE, bounds
    )  # fmt: skip
    equal = joined.equal_columns
    exchanges = Exchange(left, equal.left), Exchange(right, equal.right)
    return joined.with_children(exchanges)


@dataclass(frozen=True)
class _Compared:
    """A comparison of the time attributes of both inputs.

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
    def is_lower(self) -> bool:
        """Whether the comparison bounds the left time from below."""
        return (self.call.function in (">", ">=")) != self.swapped

    @property
    def bound(self) -> int | None:
        """Greatest or least difference left - right in milliseconds, None if rows decide it."""
        offsets = [time_offset(arg) for arg in self.call.args]
        own, other = offsets[::-1] if self.swapped else offsets
        if own is None or other is None:
            return None
        open_bound = self.call.function in ("<", ">")
        return other - own + (0 if not open_bound else 1 if self.is_lower else -1)


Times = Sequence[TimeAttributes]


def _times(left: Node, right: Node) -> Times:
    return time_attributes(left), time_attributes(right)


def _compared(term: Expr, width: int, times: Times) -> _Compared | None:
    """Return a term as a comparison of times, None for another one (Flink: identifyTimePredicate)."""
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
            return _Compared(term, rowtime, left, right, swapped=one >= width)
    return None


def _limits(found: list[_Compared]) -> tuple[int, int] | None:
    """Return the lower and the upper bound, None if the comparisons do not give exactly these."""
    equalities = [each for each in found if each.call.function == "="]
    if len(found) == 1 and equalities:
        bound = found[0].bound
        return None if bound is None else (bound, bound)
    if len(found) != 2 or equalities or found[0].is_lower == found[1].is_lower:
        return None
    lower, upper = (each.bound for each in sorted(found, key=lambda each: not each.is_lower))
    return None if lower is None or upper is None else (lower, upper)


def _check(bounds: IntervalBounds, left: Node, right: Node, place: SourceRange | None) -> None:
    """Raise ValidationError in Flink's words."""
    if not bounds.is_rowtime:
        if any(time_attributes(side).event for side in (left, right)):
            raise ValidationError(
                "Interval join with proctime attribute requires no event-time attributes are in the join "
                "inputs.",
                range=place,
                hint="CAST the row time to TIMESTAMP(3) in a sub-query below the join, or do not select it",
            )
        return
    one, other = left.schema[bounds.left_time].type, right.schema[bounds.right_time].type
    if one.root is not other.root:
        names = " and ".join(f"{each.with_nullable(True)} *ROWTIME*" for each in (one, other))
        raise ValidationError(
            f"Interval join with rowtime attribute requires same rowtime types, but the types are {names}.",
            range=place,
            hint="declare both row times as TIMESTAMP(3) or both as TIMESTAMP_LTZ(3)",
        )
