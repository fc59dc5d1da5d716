"""Choose the unique keys by which a join keeps the rows of its inputs.

    input       unique key   joined by      state for each value of the join column
    orders      id           customer       rows by id
    customers   id           id             one row
    visits      none         customer       distinct rows, each with the number of equal rows

Flink: StreamPhysicalJoin.analyzeJoinInput. Rules that change the inputs must run before, because a projection
may drop a key. A MultiJoin has the keys of all joins that it stands for.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.join.properties import with_state_keys
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.tree import Node


def choose_join_state(node: Node) -> Node:
    """Set the unique keys by which a join or MultiJoin keeps the rows of its inputs. Other nodes stay."""
    if isinstance(node, MultiJoin):
        return replace(node, state_keys=_of_all(node))
    return with_state_keys(node) if isinstance(node, Join) else node


def _of_all(node: MultiJoin) -> tuple[tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]], ...]:
    """Return the state keys of both inputs of each join of a MultiJoin, the lowest join first."""
    found = []
    join: Node = node.joins()
    for _ in node.join_types:
        assert isinstance(join, Join)
        found.append(with_state_keys(join).unique_keys)
        join = join.inputs[0].children[0]
    return tuple(found[::-1])
