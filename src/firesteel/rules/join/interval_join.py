"""Plan a join whose condition bounds the distance of both inputs' times as an interval join.

    o JOIN p ON o.id = p.id AND p.ts BETWEEN o.ts AND o.ts + INTERVAL '1' HOUR

Flink: StreamPhysicalIntervalJoinRule, IntervalJoinUtil. The condition has two comparisons that bound the
difference of two time attributes from below and from above, or one equality of them. With one bound alone, a
third comparison, or a bound that depends on the rows, the join stays a regular join, as in Flink.
"""

from __future__ import annotations

from firesteel.errors import SourceRange, ValidationError
from firesteel.plan.expressions.operations import TRUE, conjunction
from firesteel.plan.nodes.interval_join.physical import IntervalBounds, IntervalJoin
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.properties.time_attributes import time_attributes
from firesteel.plan.tree import Node
from firesteel.rules.join.compared_times import ComparedTimes, compared_times


def interval_join(node: Join, left: Node, right: Node) -> IntervalJoin | None:
    """Return the interval join of a logical join, None if it is no such join.

    Args:
        node: The logical join.
        left: Its left input as a physical node.
        right: Its right input as a physical node.

    Raises:
        ValidationError: The times are of two types, or an input of a join by processing time has a row time.
    """
    if not node.join_type.has_right_columns:
        return None
    terms = list(compared_times(node.condition, left, right))
    found = [each for _, each in terms if each is not None]
    limits = _limits(found)
    if limits is None:
        return None
    first = found[0]
    rest = [term for term, each in terms if each is None]
    bounds = IntervalBounds(first.is_rowtime, *limits, first.left, first.right)
    _check(bounds, left, right, first.call.range)
    joined = IntervalJoin(
        (left, right), node.join_type, node.condition, conjunction(rest) or TRUE, bounds
    )  # fmt: skip
    equal = joined.equal_columns
    exchanges = Exchange(left, equal.left), Exchange(right, equal.right)
    return joined.with_children(exchanges)


def _limits(found: list[ComparedTimes]) -> tuple[int, int] | None:
    """Return the lower and the upper bound of the difference of the times. An equality is both bounds.

    None if the comparisons are not one lower and one upper bound, or if a bound depends on the rows.
    """
    equalities = [each for each in found if each.is_equality]
    if len(found) == 1 and equalities:
        bound = found[0].bound
        return None if bound is None else (bound, bound)
    if len(found) != 2 or equalities or found[0].is_lower == found[1].is_lower:
        return None
    lower, upper = (each.bound for each in sorted(found, key=lambda each: not each.is_lower))
    return None if lower is None or upper is None else (lower, upper)


def _check(bounds: IntervalBounds, left: Node, right: Node, place: SourceRange | None) -> None:
    """Raise ValidationError for row times of two types, or for a row time in a join by processing time."""
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
