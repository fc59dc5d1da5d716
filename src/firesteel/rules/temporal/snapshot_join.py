"""Rewrite a Correlate with a Snapshot (FOR SYSTEM_TIME AS OF) as a Join.

    Correlate(l, Filter($cor0.k = $0)  Snapshot($cor0.ts)  r)
        ->  Join(l.k = r.k AND __INITIAL_TEMPORAL_JOIN_CONDITION(l.ts, r.rt, ..))  l  Snapshot(..)  r

Flink: LogicalCorrelateToJoinFromTemporalTableRule. The call in the new condition has as arguments the time
columns of both inputs, then the columns that the condition equates. So the time columns are a part of the
condition, and later rules need no special case for this join. By processing time, the call has no right time.
Computed operands of the condition become columns of an input, as in other joins.

If the time is a processing time and the table supports lookups, the join is a lookup join, and its condition
gets no call.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.operations import TRUE, conjunction, conjuncts, identity, renumber
from firesteel.plan.expressions.sub_query import with_columns
from firesteel.plan.join_condition import push_expressions
from firesteel.plan.metadata import has_type_of_row_time, processing_times
from firesteel.plan.nodes.correlate.logical import Correlate
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import TemporalCondition
from firesteel.plan.nodes.logical import Filter, Project, Scan
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.rel_builder import consistent
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.tree import Node
from firesteel.rules.temporal.row_times import row_times

_ONLY_ATTRIBUTES = (
    "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field"
)
_NAME_IT = "name the time attribute of the table on the left, as in FOR SYSTEM_TIME AS OF l.ts"


def snapshot_join(node: Node) -> Node:
    """Rewrite a Correlate with a Snapshot as a join. Other nodes stay as they are.

    Raises:
        ValidationError: Flink refuses the column in FOR SYSTEM_TIME AS OF, the versions do not have exactly
            one row time, or ON equates no columns of both inputs.
    """
    if not isinstance(node, Correlate):
        return node
    right = node.inputs[1]
    snapshot = right.input if isinstance(right, Filter) else right
    if not isinstance(snapshot, Snapshot):
        return node
    condition = right.condition if isinstance(right, Filter) else TRUE
    time = _left_time(node, snapshot)
    condition = simplify_condition(consistent(_over_both(condition, node)))
    if time.index in processing_times(node.inputs[0]) and _has_lookups(snapshot.input):
        return Join((node.inputs[0], replace(snapshot, lookup=True)), node.join_type, condition)
    joined = push_expressions(Join((node.inputs[0], snapshot), node.join_type, condition))
    if isinstance(joined, Project):
        return joined.with_children((_with_times(joined.input, time, snapshot),))
    return _with_times(joined, time, snapshot)


def _has_lookups(node: Node) -> bool:
    """Return whether a node is a table that supports lookups, possibly with computed columns."""
    if isinstance(node, Project):
        return _has_lookups(node.input)
    return isinstance(node, Scan) and node.table.traits is not None and node.table.traits.has_lookups


def _over_both(condition: Expr, node: Correlate) -> Expr:
    """Return the condition of a Correlate's right input as a condition over the columns of both inputs.

    The right input's columns are numbered after those of the left one. References to the correlation
    variable become columns of the left input.
    """
    right = {i: node.left_width + i for i in range(len(node.inputs[1].schema))}
    columns = identity(field.type for field in node.inputs[0].schema)
    return with_columns(renumber(condition, right), node.variable, columns.__getitem__)


def _left_time(node: Correlate, snapshot: Snapshot) -> InputRef:
    """Return the column of the left input that FOR SYSTEM_TIME AS OF names.

    Raises:
        ValidationError: FOR SYSTEM_TIME AS OF names no time attribute of the left input.
    """
    left = node.inputs[0]
    columns = identity(field.type for field in left.schema)
    period = with_columns(snapshot.period, node.variable, columns.__getitem__)
    times = row_times(left) | processing_times(left)
    if isinstance(period, InputRef) and period.index in times:
        return period
    computed = not isinstance(period, InputRef) and has_type_of_row_time(period, left)
    raise ValidationError(
        f"{_ONLY_ATTRIBUTES}'" if computed else _ONLY_ATTRIBUTES,
        range=snapshot.period.range,
        hint=_NAME_IT,
    )


def _with_times(node: Node, time: InputRef, snapshot: Snapshot) -> Node:
    """Return the join with a call of `__INITIAL_TEMPORAL_JOIN_CONDITION` added to its condition.

    Args:
        node: The join of the left input with the versions.
        time: Column of the left input with the point in time.
        snapshot: The versioned table.

    Raises:
        ValidationError: No columns are equal in ON. Or, in a join by row time, the versions do not have
            exactly one row time of the same type.
    """
    assert isinstance(node, Join)
    left, right = node.inputs
    width = node.left_width
    equal = equal_columns(node.condition, width)
    if not equal.left:
        raise ValidationError(
            "Currently the join key in Temporal Table Join can not be empty.",
            range=snapshot.range,
            hint="hold the primary key of the versioned table equal in ON",
        )
    right_time = _right_time(right, time, snapshot) if time.index in row_times(left) else None
    found = TemporalCondition(
        InputRef(time.index, time.type),
        None if right_time is None else InputRef(width + right_time, right.schema[right_time].type),
        tuple(InputRef(i, left.schema[i].type) for i in equal.left),
        tuple(InputRef(width + i, right.schema[i].type) for i in equal.right),
    )
    condition = conjunction([*conjuncts(node.condition), found.call()])
    assert condition is not None
    return replace(node, condition=condition)


def _right_time(right: Node, time: InputRef, snapshot: Snapshot) -> int:
    """Return the position of the only row time among the columns of the versions.

    Raises:
        ValidationError: There is no row time or more than one, or its type differs from that of `time`.
    """
    times = sorted(row_times(right))
    if len(times) != 1:
        raise ValidationError(
            "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned "
            "table, but no row time attribute can be found.",
            range=snapshot.range,
            hint="declare WATERMARK FOR its time" if not times else "select one of its row times alone",
        )
    found = right.schema[times[0]].type
    if found.root is not time.type.root:
        raise ValidationError(
            "Event-Time Temporal Table Join requires same rowtime type in left table and versioned table, "
            f"but the rowtime types are {time.type.with_nullable(True)} *ROWTIME* and "
            f"{found.with_nullable(True)} *ROWTIME*.",
            range=snapshot.range,
        )
    return times[0]
