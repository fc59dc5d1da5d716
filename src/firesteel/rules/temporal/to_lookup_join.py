"""Physical node of a lookup join (Flink: StreamPhysicalLookupJoinRule, CommonExecLookupJoin)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import conjunction, conjuncts, expand_search, is_identity
from firesteel.plan.expressions.text import ast_text
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.join.not_distinct import collapsed
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.physical import Calc, Exchange, TableSourceScan
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.simplify.cnf import to_cnf
from firesteel.plan.tree import Node
from firesteel.rules.normalize.simplify_calc import simplify_calc
from firesteel.rules.temporal.simple_filters import is_simple_filter


def is_lookup(node: Node) -> TypeGuard[Join]:
    """Return whether a node is a lookup join."""
    if not isinstance(node, Join):
        return False
    right = node.inputs[1]
    return isinstance(right, Snapshot) and right.lookup


def to_lookup_join(node: Join, to_physical: Callable[[Node], Node]) -> Node:
    """Return the physical node of a lookup join.

    Args:
        node: The join.
        to_physical: Makes the physical node of an input.

    Raises:
        ValidationError: No column of the table is equal to a column or a constant, or an equality is
            NULL-safe.
    """
    left, snapshot = node.inputs
    assert isinstance(snapshot, Snapshot)
    table, pushed = _table(to_physical(snapshot.input))
    _check_nulls(node, snapshot)
    below = to_physical(left)
    keys = equal_columns(node.condition, node.left_width).left
    if snapshot.hint is not None and snapshot.hint.shuffle and keys:
        below = Exchange(below, keys)
    join = LookupJoin(below, table, node.join_type, node.condition, pushed, snapshot.hint)
    if not join.lookup_keys:
        raise ValidationError(
            "Temporal table join requires an equality condition on fields of table "
            f"[{'.'.join(join.scan.table.path)}].",
            range=snapshot.range,
            hint="hold a column of the table itself equal to a column of the left side in ON",
        )
    return join


def _table(node: Node) -> tuple[Calc | TableSourceScan, tuple[Expr, ...]]:
    """Return the table of a lookup join, and the conditions that its database evaluates.

    `node` is the scan of the table or a Calc above it. The returned node is the scan, or a Calc without the
    conditions that the database evaluates.

    Raises:
        NotSupportedError: The table is no scan.
    """
    below = node.input if isinstance(node, Calc) else node
    if not isinstance(below, TableSourceScan):
        raise NotSupportedError(f"{type(below).__name__} below the table of a lookup join is not supported")
    if not isinstance(node, Calc):
        return below, ()
    calc = simplify_calc(node)
    assert isinstance(calc, Calc)
    decides = below.table.traits is not None and below.table.traits.decides_lookup_filters
    if calc.condition is None or not decides:
        return calc, ()
    terms = conjuncts(to_cnf(expand_search(calc.condition)))
    pushed = tuple(term for term in terms if is_simple_filter(term))
    if not pushed:
        return calc, ()
    kept = conjunction([term for term in terms if term not in pushed])
    calc = replace(calc, condition=None if kept is None else simplify_condition(kept))
    shows_all = calc.condition is None and is_identity(calc.exprs, len(below.schema))
    return (below if shows_all else calc), pushed


def _check_nulls(node: Join, snapshot: Snapshot) -> None:
    if any(equal_columns(node.condition, node.left_width).null_safe):
        condition = conjunction(map(collapsed, conjuncts(node.condition)))
        assert condition is not None
        raise ValidationError(
            "LookupJoin doesn't support join condition contains 'a IS NOT DISTINCT FROM b' (or alternative "
            f"'(a = b) or (a IS NULL AND b IS NULL)'), the join condition is '{ast_text(condition)}'",
            range=snapshot.range,
        )
