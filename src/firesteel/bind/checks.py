"""Checks of an expression before it is bound, for constructs that Flink refuses."""

from __future__ import annotations

from firesteel.bind.scalar.user_functions import user_function
from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.functions.signatures.aggregate_functions import AGGREGATES
from firesteel.sql import syntax


def is_aggregate(node: syntax.Node, catalog: Catalog | None = None) -> bool:
    """Return whether a node is a call of an aggregate function without OVER.

    Args:
        node: The node.
        catalog: Has the user-defined functions. None if there are none.
    """
    if not isinstance(node, syntax.Call) or node.over is not None:
        return False
    user = user_function(node.name, catalog)
    return user.is_aggregate if user is not None else node.name.upper() in AGGREGATES


def check_expression(node: syntax.Node, catalog: Catalog | None = None, clause: str | None = None) -> None:
    """Refuse constructs that an expression of a clause must not contain.

    Sub-queries are checked separately.

    Args:
        node: The expression.
        catalog: Has the user-defined functions.
        clause: Clause of the expression. None for SELECT, where OVER is allowed.

    Raises:
        ValidationError: OVER outside of SELECT, or FILTER or the like on a function that is no aggregate.
    """
    for part in syntax.walk(node, into_queries=False):
        if isinstance(part, syntax.Call):
            if part.over is not None and clause is not None:
                raise _illegal_over(clause, part)
            _check_call(part, catalog)


def check_column(node: syntax.Node) -> None:
    """Check the expression of a computed column or a watermark.

    Raises:
        ValidationError: The expression contains a query. In Flink, the parser refuses a query that is the
            whole expression, and the planner refuses a query within a larger expression.
    """
    for part in syntax.walk(node):
        if _is_query(part):
            raise ValidationError(
                "Query expression encountered in illegal context",
                range=part.range,
                hint="computed columns and watermarks read the columns of their own row alone",
            )
    check_expression(node)


def _is_query(part: syntax.Node) -> bool:
    return isinstance(part, (syntax.Subquery, syntax.Exists)) or (
        isinstance(part, syntax.Quantified) and part.query is not None
    )


def _illegal_over(clause: str, node: syntax.Call) -> ValidationError:
    if clause == "HAVING":
        return ValidationError("Aggregate functions over windows are not supported yet.", range=node.range)
    return ValidationError(f"Windowed aggregate expression is illegal in {clause} clause", range=node.range)


def _check_call(node: syntax.Call, catalog: Catalog | None) -> None:
    name = node.name.upper()
    if node.over is not None or is_aggregate(node, catalog):
        return
    if node.filter is not None:
        raise ValidationError("FILTER must be applied to aggregate function", range=node.range)
    if node.distinct:
        raise ValidationError(f"DISTINCT/ALL not allowed with {name} function", range=node.range)
    if node.star:
        raise ValidationError(
            "Unknown identifier '*'",
            range=node.range,
            hint=f"{name} takes expressions, only COUNT takes *",
        )
    if node.nulls:
        raise ValidationError(
            f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{name}'", range=node.range
        )
