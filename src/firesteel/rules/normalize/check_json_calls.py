"""Refuse JSON() outside of JSON_ARRAY and the values of JSON_OBJECT (Flink: ExprCodeGenerator).

The check comes late, after projections have been merged: a view's JSON() may be a value in the query over it.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.nodes.physical import Calc
from firesteel.plan.tree import Node

_MESSAGE = (
    "The JSON() function is currently only supported inside JSON_ARRAY() or as the VALUE param of "
    """JSON_OBJECT(). Example: JSON_OBJECT('a', JSON('{"key": "value"}')) or """
    """JSON_ARRAY(JSON('{"key": "value"}'))."""
)


def check_json_calls(node: Node) -> Node:
    """Check the JSON() calls of one node, and return the node.

    Raises:
        ValidationError: A JSON() call is neither an argument of JSON_ARRAY nor a value of JSON_OBJECT.
    """
    if isinstance(node, Calc):
        for expr in (*node.exprs, *([] if node.condition is None else [node.condition])):
            _check(expr, False)
    return node


@from_below
def _check(expr: Expr, allowed: bool) -> None:
    if not isinstance(expr, Call):
        return
    if expr.function == "JSON" and not allowed:
        raise ValidationError(_MESSAGE, range=expr.range)
    for i, arg in enumerate(expr.args):
        _check(arg, expr.function == "JSON_ARRAY" or (expr.function == "JSON_OBJECT" and i % 2 == 1))
