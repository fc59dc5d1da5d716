"""Check whether the joins of a plan are right without the old rows of updates.

Flink does not check it (FLINK-40681): it accepts updates without the old rows from all inputs whose upsert
keys contain the equal columns.

    JOIN ON l.k = r.k AND r.n > l.n    r's row with n = 5 is replaced by one with n = 0: the pair stays
    LEFT JOIN ON l.k = r.k             r has the key (k, g): the new row counts as one more partner
"""

from __future__ import annotations

from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.join.two_inputs import upsert_keys_in_task
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.tree import Node, PhysicalNode, transform_up, walk


def takes_replacing_rows(root: Node) -> bool:
    """Return whether all joins of a plan have right results, although some updates lack the old row.

    The changelog modes of the plan must be known.
    """
    whole = transform_up(root, lambda node: node.joins() if isinstance(node, MultiJoin) else node)
    return all(_has_same_partners(node) for node in walk(whole) if isinstance(node, Join))


def _has_same_partners(node: Join) -> bool:
    """Return whether a join is right if a new row replaces an old one of the same upsert key.

    If the join has a condition besides its equal columns, the new row may have other partners than the old
    one. Then no input may send updates without the old rows.

    Outer, semi and anti joins count the partners of a row in the other input. If that input sends updates
    without the old rows, its equal columns must contain an upsert key, so that a join key has at most one
    row. Otherwise, the new row would count as one more partner, beside the old one.
    """
    replacing = [_replaces(side) for side in node.inputs]
    equal = node.equal_columns
    if equal.rest:
        return not any(replacing)
    is_semi = not node.join_type.has_right_columns
    counted = (node.join_type.pads_left, node.join_type.pads_right or is_semi)
    sides = zip(node.inputs, (equal.left, equal.right), replacing, counted, strict=True)
    return all(
        any(key <= set(columns) for key in upsert_keys_in_task(side))
        for side, columns, replaces, counts in sides
        if replaces and counts
    )


def _replaces(side: Node) -> bool:
    """Return whether an input sends updates without the old rows."""
    assert isinstance(side, PhysicalNode)
    return side.mode is not None and side.mode.update_after and not side.mode.update_before
