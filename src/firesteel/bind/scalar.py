"""Scalar expressions: from the tree as parsed to a typed tree in Calcite's shapes.

Each kind of node has its function in a sibling module; `ScalarBinder` finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from firesteel.bind import (
    scalar_conditional,
    scalar_functions,
    scalar_literals,
    scalar_operators,
    scalar_times,
)
from firesteel.errors import InternalError, NotSupportedError, SourceRange, ValidationError
from firesteel.expr.nodes import Expr, Literal
from firesteel.sql import dialect
from firesteel.sql.dialect import path_of, range_of
from firesteel.types.sql import TypeRoot

if TYPE_CHECKING:
    from firesteel.bind.names import BindContext


class Names(Protocol):
    """What names mean here (bind/names.py: Scope)."""

    def resolve(self, path: tuple[str, ...], range: SourceRange) -> Expr:
        """The column or field that a name stands for; raises ValidationError."""
        ...


class ScalarBinder:
    """Binds the scalar expressions of one scope.

    on_aggregate is given the node of an aggregate function and gives back the expression that stands
    for its result; without it aggregate functions are refused.
    """

    def __init__(
        self,
        scope: Names,
        context: BindContext,
        on_aggregate: Callable[[exp.Expression], Expr] | None = None,
    ) -> None:
        self.scope = scope
        self.context = context
        self.on_aggregate = on_aggregate
        self._known: dict[int, Expr] = {}

    def bind(self, node: exp.Expression) -> Expr:
        """The typed expression of a node.

        Raises ValidationError for what Flink refuses, NotSupportedError for what is missing here.
        """
        known = self._known.pop(id(node), None)
        if known is not None:
            return known
        if type(node) in scalar_operators.LEFT_DEEP:
            self._bind_left(node)
        rule = _RULES.get(type(node))
        if rule is None:
            raise NotSupportedError(f"{type(node).__name__} is not supported here", range=range_of(node))
        return rule(self, node)

    def _bind_left(self, node: exp.Expression) -> None:
        """Bind what stands far to the left in `a + b + c + ...`, so that no recursion is as deep as the chain
        is long."""
        chain = [node]
        while type(chain[-1].this) in scalar_operators.LEFT_DEEP and id(chain[-1].this) not in self._known:
            chain.append(chain[-1].this)
        for part in chain[:0:-1][::_STRIDE]:
            self._known[id(part)] = self.bind(part)

    def bind_all(self, nodes: Sequence[exp.Expression]) -> list[Expr]:
        return [self.bind(node) for node in nodes]

    def bind_typed(self, node: exp.Expression) -> Expr:
        """As bind, but a bare NULL is refused, as Calcite does where nothing gives it a type."""
        found = self.bind(node)
        if isinstance(found, Literal) and found.type.root is TypeRoot.NULL and isinstance(node, exp.Null):
            raise ValidationError("Illegal use of 'NULL'", range=range_of(node))
        return found


_STRIDE = 20
"""Operators of a chain that are bound in one recursion."""

Rule = Callable[[ScalarBinder, exp.Expression], Expr]


def _column(binder: ScalarBinder, node: exp.Expression) -> Expr:
    path = path_of(node)
    try:
        return binder.scope.resolve(path, range_of(node))
    except ValidationError:
        if [part.upper() for part in path] == ["PI"]:  # Calcite's one function without parentheses
            return scalar_functions.call_named("PI", [], range_of(node))
        raise


def _nowhere(binder: ScalarBinder, node: exp.Expression) -> Expr:
    raise ValidationError("* is not allowed here", range=range_of(node))


def _subquery(binder: ScalarBinder, node: exp.Expression) -> Expr:
    raise NotSupportedError("A subquery in an expression is not supported yet", range=range_of(node))


def _rules() -> dict[type[exp.Expression], Rule]:
    tables = (
        scalar_literals.RULES,
        scalar_operators.RULES,
        scalar_conditional.RULES,
        scalar_times.RULES,
        scalar_functions.RULES,
    )
    rules: dict[type[exp.Expression], Rule] = {
        dialect.Path: _column,
        exp.Column: _column,
        dialect.Star: _nowhere,
        exp.Subquery: _subquery,
        exp.Exists: _subquery,
        dialect.Quantified: _subquery,
    }
    for table in tables:
        if rules.keys() & table.keys():
            raise InternalError("two rules for one kind of node")
        rules.update(table)
    return rules


_RULES = _rules()
