"""Generate Python text for the expressions and assignments of aggregate declarations."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import indent

from firesteel.errors import InternalError
from firesteel.runtime.aggregate.functions.declaration import (
    Argument,
    Arithmetic,
    Assignments,
    Compare,
    Constant,
    Convert,
    Expression,
    Field,
    If,
    IsNull,
    Other,
)
from firesteel.types.sql import INTEGER_BITS, TypeRoot

Names = Callable[[Expression], str]
"""Function that returns the text of a Field, an Other or an Argument."""

STEP = "    "


def block(head: str, body: str) -> str:
    """Return `head` with an indented body below it, `pass` if the body is empty."""
    return f"{head}\n{indent(body or 'pass', STEP)}"


def expression(node: Expression, names: Names) -> str:
    """Return the text of an expression, in parentheses unless it is one word."""
    if isinstance(node, (Field, Other, Argument)):
        return names(node)
    if isinstance(node, Constant):
        return repr(node.value)
    if isinstance(node, Compare):
        return f"({expression(node.left, names)} {node.operator} {expression(node.right, names)})"
    if isinstance(node, IsNull):
        return f"({expression(node.operand, names)} is None)"
    if isinstance(node, If):
        then, otherwise = expression(node.then, names), expression(node.otherwise, names)
        return f"({then} if {condition(node.condition, names)} else {otherwise})"
    if isinstance(node, Convert):
        operands = [expression(each, names) for each in node.operands]
        return f"{node.function}({', '.join([*operands, *map(repr, node.constants)])})"
    return _arithmetic(node, names)


def condition(node: Expression, names: Names) -> str:
    """Return the text of an expression without outer parentheses."""
    text = expression(node, names)
    return text[1:-1] if isinstance(node, (Compare, IsNull)) else text


def assignments(changes: Assignments, names: Names) -> str:
    """Return statements that make the assignments, one after the other."""
    return "\n".join(
        text for name, value in changes.items() if (text := _assign(names(Field(name)), value, names))
    )


def _assign(target: str, value: Expression, names: Names) -> str:
    """Return the statements of one assignment, '' for no change."""
    if isinstance(value, If):
        return _assign_either(target, value, names)
    if isinstance(value, Arithmetic) and value.operator in "+-":
        return _assign_sum(target, value, names)
    text = expression(value, names)
    return "" if text == target else f"{target} = {text}"


def _assign_sum(target: str, value: Arithmetic, names: Names) -> str:
    """Return the statements target = left + right (or -), followed by the overflow rule of the type."""
    left, right = expression(value.left, names), expression(value.right, names)
    kind = value.type
    if kind is not None and kind.root is TypeRoot.FLOAT:
        return f"{target} = float32({left} {value.operator} {right})"
    if left == target:
        total = f"{target} {value.operator}= {right}"
    else:
        total = f"{target} = {left} {value.operator} {right}"
    if kind is not None and kind.root in INTEGER_BITS:
        bits = INTEGER_BITS[kind.root]
        limit = 1 << (bits - 1)
        wrapped = f"{target} = wrap({target}, {bits})"
        return f"{total}\n{block(f'if not {-limit} <= {target} < {limit}:', wrapped)}"
    if kind is not None and kind.root is TypeRoot.DECIMAL:
        limit = 10 ** (kind.precision or 38)
        return f"{total}\n{block(f'if not {-limit} < {target} < {limit}:', f'{target} = None')}"
    return total


def _assign_either(target: str, value: If, names: Names) -> str:
    then, otherwise = _assign(target, value.then, names), _assign(target, value.otherwise, names)
    test = condition(value.condition, names)
    if then and otherwise:
        if isinstance(value.otherwise, If):
            return f"{block(f'if {test}:', then)}\nel{otherwise}"
        return f"{block(f'if {test}:', then)}\n{block('else:', otherwise)}"
    if then:
        return block(f"if {test}:", then)
    if not otherwise:
        return ""
    if isinstance(value.condition, IsNull):
        return block(f"if {names(value.condition.operand)} is not None:", otherwise)
    return block(f"if not {expression(value.condition, names)}:", otherwise)


def _arithmetic(node: Arithmetic, names: Names) -> str:
    """Return arithmetic with the overflow rule of the type, as an expression."""
    left, right, kind = expression(node.left, names), expression(node.right, names), node.type
    text = f"{left} {node.operator} {right}"
    if kind is None or kind.root is TypeRoot.DOUBLE:
        return f"({text})"
    if kind.root is TypeRoot.FLOAT:
        return f"float32({text})"
    bits = INTEGER_BITS.get(kind.root)
    if bits is None:
        raise InternalError(f"no expression form for arithmetic on {kind}")
    if node.operator == "/":
        text = f"truncated({left}, {right})"
    return f"wrap({text}, {bits})"
