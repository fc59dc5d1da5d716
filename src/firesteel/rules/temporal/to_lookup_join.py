"""The physical node of a lookup join (Flink: StreamPhysicalLookupJoinRule, CommonExecLookupJoin)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.plan.expressions.text import ast_text
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.physical import Calc, TableSourceScan
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import Node
from firesteel.rules.normalize.simplify_calc import simplify_calc


def is_lookup(node: Node) -> TypeGuard[Join]:
    """Whether a node is a lookup join."""
    if not isinstance(node, Join):
        return False
    right = node.inputs[1]
    return isinstance(right, Snapshot) and right.lookup


def to_lookup_join(node: Join, to_physical: Callable[[Node], Node]) -> Node:
    """Return the physical form of a lookup join.

    Args:
        node: The join.
        to_physical: Makes the physical form of an input.

    Raises:
        ValidationError: No column of the table is equal to a column or a constant, or NULLs are held equal.
    """
    left, snapshot = node.inputs
    assert isinstance(snapshot, Snapshot)
    table = _table(to_physical(snapshot.input))
    _check_nulls(node, snapshot)
    join = LookupJoin(to_physical(left), table, node.join_type, node.condition)
    if not join.lookup_keys:
        raise ValidationError(
            "Temporal table join requires an equality condition on fields of table "
            f"[{'.'.join(join.scan.table.path)}].",
            range=snapshot.range,
            hint="hold a column of the table itself equal to a column of the left side in ON",
        )
    return join


def _table(node: Node) -> Calc | TableSourceScan:
    below = node.input if isinstance(node, Calc) else node
    if not isinstance(below, TableSourceScan):
        raise NotSupportedError(f"{type(below).__name__} below the table of a lookup join is not supported")
    found = simplify_calc(node)
    assert isinstance(found, (Calc, TableSourceScan))
    return found


def _check_nulls(node: Join, snapshot: Snapshot) -> None:
    if any(equal_columns(node.condition, node.left_width).null_safe):
        raise ValidationError(
            "LookupJoin doesn't support join condition contains 'a IS NOT DISTINCT FROM b' (or alternative "
            f"'(a = b) or (a IS NULL AND b IS NULL)'), the join condition is '{ast_text(node.condition)}'",
            range=snapshot.range,
        )
