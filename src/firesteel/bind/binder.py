"""Base class of the binder of scalar expressions.

For each kind of syntax node, a function in bind/scalar/ binds it. The function calls the binder for the
operands of the node.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from firesteel.bind.naming import Names
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.sql import syntax
from firesteel.types.sql import TypeRoot

if TYPE_CHECKING:
    from firesteel.bind.names import BindContext

_STRIDE = 20
"""Greatest number of operators of a long `a + b + c + ...` that are bound in one recursion."""


_LEFT_DEEP = ("+", "-", "*", "/", "%", "||")


def _is_left_deep(node: syntax.Node) -> TypeGuard[syntax.Binary]:
    """Return whether a node is an operation with +, -, *, /, % or ||.

    The parser nests such operations on the left: `a + b + c` is `(a + b) + c`.
    """
    return isinstance(node, syntax.Binary) and node.operator in _LEFT_DEEP


class Binder:
    """Binder of the scalar expressions of one scope.

    Attributes:
        on_aggregate: Returns the expression for the result of an aggregate function, given its call. If None,
            aggregate functions are refused.
        on_over: Returns the expression for a call with OVER. If None, OVER is refused.
    """

    rules: ClassVar[Mapping[type[syntax.Node], Rule]]
    """Function that binds each kind of node. bind/scalar/scalar.py fills it."""

    def __init__(
        self,
        scope: Names,
        context: BindContext,
        on_aggregate: Callable[[syntax.Call], Expr] | None = None,
    ) -> None:
        self.scope = scope
        self.context = context
        self.on_aggregate = on_aggregate
        self.on_over: Callable[[syntax.Call], Expr] | None = None
        self._known: dict[int, Expr] = {}

    def bind(self, node: syntax.Node) -> Expr:
        """Return the typed expression of a node.

        Raises:
            ValidationError: Flink refuses the expression.
            NotSupportedError: Firesteel does not support the expression yet.
        """
        known = self._known.pop(id(node), None)
        if known is not None:
            return known
        if _is_left_deep(node):
            self._bind_left(node)
        rule = self.rules.get(type(node))
        if rule is None:
            raise NotSupportedError(f"{type(node).__name__} is not supported here", range=node.range)
        return rule(self, node)

    def _bind_left(self, node: syntax.Binary) -> None:
        """Bind every 20th operation (_STRIDE) of a chain `a + b + c + ...`, the innermost ones first.

        `bind` then finds the expressions of these operations in `_known`. So its recursion is never deeper
        than _STRIDE operations, however long the chain is.
        """
        chain = [node]
        while _is_left_deep(left := chain[-1].left) and id(left) not in self._known:
            chain.append(left)
        for part in chain[:0:-1][::_STRIDE]:
            self._known[id(part)] = self.bind(part)

    def bind_all(self, nodes: Sequence[syntax.Node]) -> list[Expr]:
        return [self.bind(node) for node in nodes]

    def bind_typed(self, node: syntax.Node) -> Expr:
        """Bind a node, and refuse a bare NULL that has no type (as Calcite does)."""
        found = self.bind(node)
        if (
            isinstance(found, Literal)
            and found.type.root is TypeRoot.NULL
            and isinstance(node, syntax.NullLiteral)
        ):
            raise ValidationError("Illegal use of 'NULL'", range=node.range)
        return found


Rule = Callable[[Binder, Any], Expr]
"""Function that binds one kind of node."""
