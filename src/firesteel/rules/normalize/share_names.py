"""Give equal projections that differ only in names the names of the first one.

Calcite: Project.deepEquals compares row types without their names; the planner registers the first of equal
nodes, from left to right. Two such projections of one query are in branches of a UNION ALL.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, replace
from decimal import Decimal

from firesteel.functions.expression.nodes import Literal
from firesteel.plan.expressions.operations import walk
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.tree import Node, postorder


def share_names(root: Node) -> Node:
    """Return the plan with equal names for equal projections."""
    found: dict[int, Node] = {}
    first: dict[Hashable, tuple[int, Node]] = {}
    same: dict[int, int] = {}
    for node in postorder(root):
        if id(node) in found:
            continue
        renamed = node.with_children(tuple(found[id(child)] for child in node.children))
        key = _key(renamed, tuple(same[id(child)] for child in node.children))
        number, one = first.setdefault(key, (len(first), renamed))
        if isinstance(renamed, Project) and isinstance(one, Project) and renamed.names != one.names:
            renamed = replace(renamed, names=one.names)
        found[id(node)] = renamed
        same[id(node)] = number
    return found[id(root)]


def _key(node: Node, inputs: tuple[int, ...]) -> Hashable:
    """Return a key that is equal for equal nodes. The names of a projection are not part of the key.

    Args:
        node: The node.
        inputs: A number for each input of the node. Equal inputs have equal numbers.
    """
    left_out = {"input", "inputs", *(["names"] if isinstance(node, Project) else [])}
    own = tuple(getattr(node, f.name) for f in fields(node) if f.name not in left_out)  # type: ignore[arg-type]
    return type(node), own, _digits(node), inputs


def _digits(node: Node) -> tuple[str, ...]:
    """Return the texts of a node's DECIMAL literals. Projections with 2.5 and with 2.50 are not equal."""
    exprs = node.exprs if isinstance(node, Project) else [node.condition] if isinstance(node, Filter) else []
    literals = (part for expr in exprs for part in walk(expr) if isinstance(part, Literal))
    return tuple(str(part.value) for part in literals if isinstance(part.value, Decimal))
