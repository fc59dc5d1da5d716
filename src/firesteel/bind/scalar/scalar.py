"""Binding of scalar expressions: from the parsed tree to the typed tree that Calcite would build.

Each kind of node has its function in a sibling module; `ScalarBinder` finds it.
"""

from __future__ import annotations

from firesteel.bind.binder import Binder, Rule
from firesteel.bind.scalar import conditional as scalar_conditional
from firesteel.bind.scalar import functions as scalar_functions
from firesteel.bind.scalar import literals as scalar_literals
from firesteel.bind.scalar import operators as scalar_operators
from firesteel.bind.scalar import sub_queries
from firesteel.bind.scalar import times as scalar_times
from firesteel.errors import InternalError, ValidationError
from firesteel.functions.expression.nodes import Expr
from firesteel.sql import syntax


def _column(binder: Binder, node: syntax.Column) -> Expr:
    path = node.path
    try:
        return binder.scope.resolve(path, node.range)
    except ValidationError:
        if [part.upper() for part in path] == ["PI"]:  # PI is Calcite's only function without parentheses
            return scalar_functions.call_named("PI", [], node.range)
        raise


def _nowhere(binder: Binder, node: syntax.Node) -> Expr:
    raise ValidationError("* is not allowed here", range=node.range)


def _rules() -> dict[type[syntax.Node], Rule]:
    tables = (
        scalar_literals.RULES,
        scalar_operators.RULES,
        scalar_conditional.RULES,
        scalar_times.RULES,
        scalar_functions.RULES,
        sub_queries.RULES,
    )
    rules: dict[type[syntax.Node], Rule] = {
        syntax.Column: _column,
        syntax.Star: _nowhere,
    }
    for table in tables:
        if rules.keys() & table.keys():
            raise InternalError("two rules for one kind of node")
        rules.update(table)
    return rules


class ScalarBinder(Binder):
    """Binder of scalar expressions of every kind."""

    rules = _rules()
