"""Interface by which the rules of bind/scalar/ bind the parts of their nodes."""

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
"""Operators of a chain that are bound in one recursion."""


_LEFT_DEEP = ("+", "-", "*", "/", "%", "||")


def _is_left_deep(node: syntax.Node) -> TypeGuard[syntax.Binary]:
    """Whether the operator makes chains: its left operand may be such an operator, and so on."""
    return isinstance(node, syntax.Binary) and node.operator in _LEFT_DEEP


class Binder:
    """Binds the scalar expressions of one scope.

    on_aggregate is given the node of an aggregate function and gives back the expression that stands
    for its result; without it aggregate functions are refused. on_over: the same for a call with OVER.
    """

    rules: ClassVar[Mapping[type[syntax.Node], Rule]]
    """What binds each kind of node; bind/scalar/scalar.py has them together."""

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
        """The typed expression of a node.

        Raises ValidationError for what Flink refuses, NotSupportedError for what is missing here.
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
        """Bind what stands far to the left in `a + b + c + ...`, so that no recursion is as deep as the chain
        is long."""
        chain = [node]
        while _is_left_deep(left := chain[-1].left) and id(left) not in self._known:
            chain.append(left)
        for part in chain[:0:-1][::_STRIDE]:
            self._known[id(part)] = self.bind(part)

    def bind_all(self, nodes: Sequence[syntax.Node]) -> list[Expr]:
        return [self.bind(node) for node in nodes]

    def bind_typed(self, node: syntax.Node) -> Expr:
        """Bind a node and refuse a bare NULL, to which nothing gives a type (as Calcite does)."""
        found = self.bind(node)
        if (
            isinstance(found, Literal)
            and found.type.root is TypeRoot.NULL
            and isinstance(node, syntax.NullLiteral)
        ):
            raise ValidationError("Illegal use of 'NULL'", range=node.range)
        return found


Rule = Callable[[Binder, Any], Expr]
"""Binds one kind of node."""
