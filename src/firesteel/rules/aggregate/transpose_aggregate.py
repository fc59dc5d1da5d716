"""Push an aggregate below an inner join if the estimated cost is lower then.

    Aggregate(l.c)  Join(l.k = r.k)      ->   Aggregate(c)  Join(k = k)
                    :- l  (k is unique)                     :- l
                    +- r                                    +- Aggregate(k)  r

Each input is grouped by the columns that the aggregate or the join reads, unless its rows are unique by them
already. If the group keys determine the columns that the join compares, no aggregate is left above the join.

Flink: FlinkAggregateJoinTransposeRule, by the CPU in the costs of FlinkLogicalAggregate and FlinkLogicalJoin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firesteel.functions.expression.nodes import AggregateCall, Expr, InputRef
from firesteel.plan.estimates.rows import NotEstimated, row_count
from firesteel.plan.estimates.uniqueness import are_unique
from firesteel.plan.expressions.operations import cast_to, input_refs, is_identity, renumber
from firesteel.plan.nodes.join.join_type import JoinHints, JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.temporal_condition import is_temporal
from firesteel.plan.nodes.logical import Aggregate, Project
from firesteel.plan.nodes.state_ttl import NO_TTL
from firesteel.plan.tree import Node

_KEY_COST = 1.1
"""CPU of a group key for each row. A call costs 1."""
_SPLIT = {"SUM": "SUM", "MIN": "MIN", "MAX": "MAX", "COUNT": "$SUM0"}
"""Functions whose results for parts of a group can be combined, and the function that combines them."""


@dataclass
class _Side:
    """Input of the new join.

    Attributes:
        input: The old input. If `cost` is above 0, an aggregate groups it, else its rows are unique already.
        columns: New position of each column of the old input that is read, by its old position.
        calls: Position in `input` of each call's partial result, by the number of the call. Only calls over
            this input.
        cost: CPU of the grouping, 0 for none.
    """

    input: Node
    columns: dict[int, int]
    calls: dict[int, int] = field(default_factory=dict)
    cost: float = 0.0


@dataclass(frozen=True)
class _Pushed:
    """Plan with an aggregate pushed below a join.

    Attributes:
        node: Root of the plan. From `_pushed`, it has the columns of the original aggregate. From `_cheaper`,
            it has each group key once, in the order of the old join's columns, then the results of the calls.
        saved: CPU that the plan costs less than the original one.
    """

    node: Node
    saved: float


def transpose_aggregate(node: Node) -> Node:
    """Push an aggregate below the inner join under it if that is cheaper. Other nodes stay as they are."""
    pushed = _pushed(node) if isinstance(node, Aggregate) else None
    return node if pushed is None else pushed.node


def _pushed(node: Aggregate) -> _Pushed | None:
    """Return the pushed aggregate, None if it would not be cheaper."""
    if node.groups or node.partial_final or node.state_ttl != NO_TTL:
        return None
    above_join = _over_join(node)
    if above_join is None or not _can_split(above_join):
        return None
    found = _cheaper(above_join)
    return found and replace(found, node=_in_order(node, above_join.keys, found.node))


def _over_join(node: Aggregate) -> Aggregate | None:
    """Return the aggregate right above its inner join, without the projection of columns between them.

    The keys keep their order. None if there is no such join.
    """
    below = node.input
    if isinstance(below, Project):
        read = {*node.keys, *(i for call in node.calls for i in call.args)}
        position = {i: e.index for i in read if isinstance(e := below.exprs[i], InputRef)}
        if len(position) < len(read):
            return None
        names = node.schema[len(node.keys) :]
        calls = tuple(
            replace(call, args=tuple(position[i] for i in call.args), name=name.name)
            for call, name in zip(node.calls, names, strict=True)
        )
        node = replace(node, input=below.input, keys=tuple(position[k] for k in node.keys), calls=calls)
    join = node.input
    if not isinstance(join, Join) or join.join_type is not JoinType.INNER or is_temporal(join):
        return None
    if join.becomes_multi_join:
        return None
    is_plain = join.hints == JoinHints() and not join.equal_columns.rest and bool(join.equal_columns.left)
    return node if is_plain else None


def _can_split(node: Aggregate) -> bool:
    return bool(node.keys) and all(
        call.function in _SPLIT and not call.distinct and call.filter is None and call.user is None
        for call in node.calls
    )


# --- the decision --------------------------------------------------------------------------------
def _cheaper(node: Aggregate) -> _Pushed | None:
    """Return the plan with the aggregate pushed below the join right below it.

    None if this plan is not cheaper, or if its cost is unknown. The columns are those of `_Pushed.node`.
    """
    join = node.input
    assert isinstance(join, Join)
    try:
        left, right = (_side(node, join, side) for side in (0, 1))
        if left is None or right is None or not (left.cost or right.cost):
            return None
        built = _above(node, join, (left, right))
        if built is None:
            return None
        cost = left.cost + right.cost + row_count(left.input) + row_count(right.input)
        if isinstance(built, Aggregate):
            cost += _cost(built)
        saved = sum(map(row_count, join.inputs)) + _cost(node) - cost
    except NotEstimated:
        return None
    return _Pushed(built, saved) if saved > 0 else None


def _cost(node: Aggregate) -> float:
    """Return the CPU of an aggregate alone (Flink: FlinkLogicalAggregate.computeSelfCost)."""
    return row_count(node.input) * (_KEY_COST * len(node.keys) + len(node.calls))


# --- the inputs ----------------------------------------------------------------------------------
def _side(node: Aggregate, join: Join, side: int) -> _Side | None:
    """Return the left or the right input of the new join, None if the calls cannot be split.

    Args:
        node: The aggregate above the join.
        join: The old join.
        side: 0 for the left input, 1 for the right one.
    """
    below = join.inputs[side]
    offset = join.left_width if side else 0
    own = range(offset, offset + len(below.schema))
    keys = sorted({i - offset for i in (*node.keys, *input_refs(join.condition)) if i in own})
    if not keys:
        return None
    calls = {
        number: call
        for number, call in enumerate(node.calls)
        if all(i in own for i in call.args) and (call.args or not are_unique(below, frozenset(keys)))
    }
    if are_unique(below, frozenset(keys)):
        return _projected(below, keys, calls, offset)
    if len(calls) < len(node.calls) and not all(_is_extreme(c) for c in node.calls):
        return None
    return _grouped(below, keys, calls, offset)


def _is_extreme(call: AggregateCall) -> bool:
    """Return whether a call does not depend on how often a row comes."""
    return call.function in ("MIN", "MAX")


def _projected(below: Node, keys: list[int], calls: dict[int, AggregateCall], offset: int) -> _Side | None:
    """Return an input of the new join that needs no grouping, because its rows are unique by `keys`.

    None if a call is COUNT.
    """
    if any(call.function == "COUNT" for call in calls.values()):
        return None
    read = list(dict.fromkeys([*keys, *(call.args[0] - offset for call in calls.values())]))
    fields = [below.schema[i] for i in read]
    exprs = tuple(InputRef(i, f.type) for i, f in zip(read, fields, strict=True))
    rows = (
        below
        if is_identity(exprs, len(below.schema))
        else Project(below, exprs, tuple(f.name for f in fields))
    )
    values = {number: read.index(call.args[0] - offset) for number, call in calls.items()}
    return _Side(rows, {old + offset: new for new, old in enumerate(read)}, values)


def _grouped(below: Node, keys: list[int], calls: dict[int, AggregateCall], offset: int) -> _Side:
    moved = tuple(replace(call, args=tuple(i - offset for i in call.args)) for call in calls.values())
    group = Aggregate(below, tuple(keys), moved)
    places = {number: len(keys) + place for place, number in enumerate(calls)}
    columns = {old + offset: new for new, old in enumerate(keys)}
    pushed = _pushed(group)
    if pushed is None:
        return _Side(group, columns, places, _cost(group))
    return _Side(pushed.node, columns, places, _cost(group) - pushed.saved)


# --- the join, and what stays above it -----------------------------------------------------------
def _positions(left: _Side, right: _Side) -> dict[int, int]:
    """Return the position in the new join of each column of the old join that is read."""
    width = len(left.input.schema)
    return {**left.columns, **{old: width + new for old, new in right.columns.items()}}


def _above(node: Aggregate, join: Join, sides: tuple[_Side, _Side]) -> Aggregate | Project | None:
    """Return the new join, and above it the node that computes the results of the aggregate.

    This is a projection if the group keys determine the columns that the join compares: then no two rows of
    the join are in one group. Otherwise, it is an aggregate that combines partial results. None if a call is
    not computed by exactly one input.
    """
    left, right = sides
    position = _positions(left, right)
    new_join = Join((left.input, right.input), JoinType.INNER, renumber(join.condition, position))
    keys = tuple(position[k] for k in sorted(set(node.keys)))
    width = len(left.input.schema)
    values = []
    for number in range(len(node.calls)):
        parts = [left.calls.get(number), right.calls.get(number)]
        places = [p + w for p, w in zip(parts, (0, width), strict=True) if p is not None]
        if len(places) != 1:
            return None
        values.append(places[0])
    if _are_determined(node.keys, join):
        return _projection(node, new_join, keys, values)
    calls = [
        replace(call, function=_SPLIT[call.function], args=(value,))
        for call, value in zip(node.calls, values, strict=True)
    ]
    return Aggregate(new_join, keys, tuple(calls))


def _are_determined(keys: Sequence[int], join: Join) -> bool:
    """Return whether the keys determine all columns that the join compares."""
    equal = join.equal_columns
    pairs = zip(equal.left, (join.left_width + i for i in equal.right), equal.null_safe, strict=True)
    return all(
        (a in keys and b in keys) or (not null_safe and (a in keys or b in keys)) for a, b, null_safe in pairs
    )


def _projection(node: Aggregate, new_join: Join, keys: Sequence[int], values: Sequence[int]) -> Project:
    columns = new_join.schema
    exprs: list[Expr] = [InputRef(k, columns[k].type) for k in keys]
    for call, value in zip(node.calls, values, strict=True):
        exprs.append(cast_to(InputRef(value, columns[value].type), call.type))
    names = [columns[k].name for k in keys] + [call.name for call in node.calls]
    return Project(new_join, tuple(exprs), tuple(names))


def _in_order(node: Aggregate, keys: Sequence[int], pushed: Node) -> Node:
    """Return the plan `pushed` with the columns of the original aggregate: same order, same names.

    Args:
        node: The original aggregate.
        keys: Its group keys in their order, as positions in the join's output.
        pushed: Plan with each group key once, in ascending order of `keys`, then the results of the calls.
    """
    columns = sorted(set(keys))
    places = [columns.index(k) for k in keys]
    places += [len(columns) + i for i in range(len(node.calls))]
    names = tuple(f.name for f in node.schema)
    if isinstance(pushed, Project):
        return Project(pushed.input, tuple(pushed.exprs[i] for i in places), names)
    exprs = tuple(InputRef(i, pushed.schema[i].type) for i in places)
    return pushed if is_identity(exprs, len(pushed.schema)) else Project(pushed, exprs, names)
