"""Plans between the programs of the optimizer, as `firesteel explain --trace-rules` prints them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from firesteel.errors import InternalError
from firesteel.explain.ast import ast_line
from firesteel.explain.sections import mode_attribute
from firesteel.explain.tree_text import whole_tree
from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.text import ast_text, prefix_text
from firesteel.plan.nodes.text import attributes, line
from firesteel.plan.tree import Node, PhysicalNode


def plans_after(program: str, rules: Sequence[str], plans: Sequence[Node]) -> str:
    """Return a section with the plans after a program.

    Args:
        program: Name of the program.
        rules: Rules of the program that changed a plan, in their order.
        plans: The plans.
    """
    trees = [whole_tree(plan, _line) for plan in plans]
    return f"== After {program}: {', '.join(rules)} ==\n" + "\n\n".join(trees) + "\n"


def _line(node: Node) -> str:
    if isinstance(node, PhysicalNode):
        mode = [] if node.mode is None else mode_attribute(node)
        return line(node, [*attributes(node, prefix_text), *mode])
    try:
        return ast_line(node)
    except InternalError:  # this node is never in a bound query, so Flink's AST has no text for it
        return f"Logical{type(node).__name__}({', '.join(_fields(node))})"


def _fields(node: Node) -> list[str]:
    found = [(field.name, getattr(node, field.name)) for field in fields(node)]  # type: ignore[arg-type]
    return [f"{name}=[{_value(value)}]" for name, value in found if name not in ("input", "inputs")]


def _value(value: object) -> str:
    if isinstance(value, Expr):
        return ast_text(value)
    return ", ".join(map(_value, value)) if isinstance(value, tuple) else str(value)
