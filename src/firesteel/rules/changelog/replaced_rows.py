"""Check whether the joins of a plan give the correct result without the old rows of updates.

Flink does not check it (FLINK-40681): it accepts updates without the old rows from all inputs whose upsert
keys contain the columns that the join equates. Two joins with a wrong result:

    JOIN ON l.k = r.k AND r.n > l.n    r's row with n = 5 is replaced by one with n = 0: the pair stays
    LEFT JOIN ON l.k = r.k             r has the key (k, g): the new row counts as one more partner
"""

from __future__ import annotations

from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.join.two_inputs import upsert_keys_in_task
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.tree import Node, PhysicalNode, transform_up, walk


def takes_replacing_rows(root: Node) -> bool:
    """Return whether all joins of a plan give the correct result, although some updates lack the old row.

    The changelog modes of the plan must be known.
    """
    whole = transform_up(root, lambda node: node.joins() if isinstance(node, MultiJoin) else node)
    return all(_has_same_partners(node) for node in walk(whole) if isinstance(node, Join))


def _has_same_partners(node: Join) -> bool:
    """Return whether the result of a join is correct although some inputs send updates without the old rows.

    Such an update replaces the old row of the same upsert key. Two things can go wrong:

    If the join has a condition besides equalities of columns (`r.n > l.n`), the new row may have other
    partners than the old one. The result of such a join is correct only if all inputs send the old rows.

    Outer, semi and anti joins count the partners of a row. Without the old row, the new one would count as
    one more partner. The count is correct only if the columns that the join equates contain an upsert key of
    the counted input, so that there is at most one partner.
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
