"""Merge joins by one key into a MultiJoin.

    Join(LEFT, k = k1)                    MultiJoin(LEFT k = k0, LEFT k = k1)
      Join(LEFT, k = k0)             ->     x
        x                                   y
        y                                   z
      z

It runs if `table.optimizer.multi-join.enabled` or the hint MULTI_JOIN is set. Each INNER and LEFT join
becomes a MultiJoin of two inputs at first. A join above is merged with it if both have a key in common.
Flink: JoinToMultiJoinRule, StreamPhysicalMultiJoinRule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.expressions.operations import identity, renumber, substitute
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join as LogicalJoin
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.nodes.physical import Calc, Exchange
from firesteel.plan.properties.keys import unique_keys
from firesteel.plan.tree import Node
from firesteel.rules.mini_batch.mini_batch_options import parsed

ENABLED = "table.optimizer.multi-join.enabled"
_TYPES = (JoinType.INNER, JoinType.LEFT)


def name_multi_joins(node: Node, configuration: Mapping[str, str]) -> Node:
    """Store the output names of a join that may become a MultiJoin, before columns are dropped."""
    if not isinstance(node, LogicalJoin) or not _is_asked(node, configuration):
        return node
    return replace(node, names=tuple(column.name for column in node.schema))


def _is_asked(node: Join | LogicalJoin, configuration: Mapping[str, str]) -> bool:
    if node.join_type not in _TYPES:
        return False
    return node.hints.multi_join or bool(parsed(configuration).get(ENABLED))


def multi_join(node: Node, configuration: Mapping[str, str]) -> Node:
    """Replace a join by a MultiJoin, or merge it with the MultiJoin on its left.

    Other nodes stay as they are.
    """
    if isinstance(node, Calc) and isinstance(node.input, Calc):
        return _merged_calcs(node, node.input)
    if not isinstance(node, Join) or not _is_asked(node, configuration):
        return node
    left, right = node.inputs
    assert isinstance(left, Exchange)
    assert isinstance(right, Exchange)
    return _joined(node, left, right) or _of_two(node, left, right)


def _of_two(node: Join, left: Exchange, right: Exchange) -> Node:
    keys = (left.keys, right.keys)
    return _with_unique_keys(
        MultiJoin((left, right), keys, (node.join_type,), (node.condition,), (node.hints,), names=node.names)
    )


def _joined(node: Join, left: Exchange, right: Exchange) -> Node | None:
    """Return a MultiJoin of the right input and of the inputs of the MultiJoin on the left.

    None if the inputs have no common key.
    """
    below, picks = left.input, None
    if isinstance(below, Calc) and below.condition is None:
        picks, below = below.exprs, below.input
    if not isinstance(below, MultiJoin):
        return None
    columns = identity(f.type for f in below.schema) if picks is None else picks
    places = [column.index for column in columns if isinstance(column, InputRef)]
    if len(places) < len(columns):
        return None
    width = len(below.schema)
    common = _common(node, below, places)
    if not common:
        return None
    position = dict(enumerate(places))
    position |= {len(places) + i: width + i for i in range(len(right.schema))}
    inputs = [*(side.input for side in below.inputs if isinstance(side, Exchange)), right.input]
    keys = tuple(tuple(key[n] for n, _ in common) for key in below.keys)
    keys = (*keys, tuple(key for _, key in common))
    joined = MultiJoin(
        tuple(Exchange(side, key) for side, key in zip(inputs, keys, strict=True)),
        keys,
        (*below.join_types, node.join_type),
        (*below.conditions, renumber(node.condition, position)),
        (*below.hints, node.hints),
        names=(*below.names, *node.names[len(places) :]),
    )
    shown = [position[i] for i in range(len(node.schema))]
    found = _with_unique_keys(joined)
    if shown == list(range(len(joined.schema))):
        return found
    refs = identity(f.type for f in joined.schema)
    return Calc(found, tuple(refs[i] for i in shown), tuple(f.name for f in node.schema))


def _common(node: Join, below: MultiJoin, places: list[int]) -> list[tuple[int, int]]:
    """Return the columns of a MultiJoin's key that the join above compares, too.

    Args:
        node: The join above.
        below: The MultiJoin.
        places: For each left column of the join, the column of the MultiJoin.

    Returns:
        For each such column its position in the key, and the column of the join's right input that it equals.
    """
    starts = [0]
    for side in below.inputs:
        starts.append(starts[-1] + len(side.schema))
    equal = node.equal_columns
    found: dict[int, int] = {}
    for left, right in zip(equal.left, equal.right, strict=True):
        for start, key in zip(starts, below.keys, strict=False):
            if places[left] - start in key:
                found.setdefault(key.index(places[left] - start), right)
    return sorted(found.items())


def _with_unique_keys(node: MultiJoin) -> MultiJoin:
    keys = (tuple(sorted(tuple(sorted(key)) for key in unique_keys(side))) for side in node.inputs)
    return replace(node, unique_keys=tuple(keys))


def _merged_calcs(node: Calc, below: Calc) -> Node:
    """Return a Calc merged with the projection between it and a MultiJoin. Another Calc stays as it is."""
    if below.condition is not None or not isinstance(below.input, MultiJoin):
        return node
    condition = None if node.condition is None else substitute(node.condition, below.exprs)
    exprs = tuple(substitute(e, below.exprs) for e in node.exprs)
    return replace(node, input=below.input, exprs=exprs, condition=condition)
