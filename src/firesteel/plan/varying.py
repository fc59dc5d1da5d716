"""Functions of a plan whose value differs at each evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from firesteel.catalog.schema import Table
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.determinism import non_deterministic_call
from firesteel.plan.tree import Node, walk


def varying_call(root: Node) -> str | None:
    """Return the name of a function in a plan whose value differs at each evaluation; None if none does."""
    expressions = (each for node in walk(root) for each in _expressions(node, is_root=True))
    return next(filter(None, map(non_deterministic_call, expressions)), None)


def _expressions(value: Any, *, is_root: bool = False) -> Iterator[Expr]:
    """Yield the expressions in a node's fields, without those of its inputs and of its table.

    A table's computed columns need no search: a node above the scan computes those that the query reads.

    Args:
        value: The node, or a value in one of its fields.
        is_root: Whether `value` is the node itself. Other nodes are skipped, as they are its inputs.
    """
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _expressions(item)
    elif is_dataclass(value) and (is_root or not isinstance(value, (Node, Table))):
        for each in fields(value):
            yield from _expressions(getattr(value, each.name))
