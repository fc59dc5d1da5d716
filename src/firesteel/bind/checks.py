"""What an expression is searched for before it is bound: what Flink refuses, what comes later."""

from __future__ import annotations

from sqlglot import exp

from firesteel.bind.user_functions import user_function
from firesteel.catalog.catalog import Catalog
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.expr.aggregates import AGGREGATES
from firesteel.sql.dialect import Quantified, range_of


def is_aggregate(node: exp.Expression, catalog: Catalog | None = None) -> bool:
    """Whether the node is a call of an aggregate function (and not over a window). catalog: knows those of
    the user's."""
    if not isinstance(node, exp.Anonymous) or node.args.get("over"):
        return False
    user = user_function(node.this, catalog)
    return user.is_aggregate if user is not None else node.this.upper() in AGGREGATES


def check_expression(node: exp.Expression, catalog: Catalog | None = None) -> None:
    """Raises NotSupportedError for subqueries and OVER, ValidationError for FILTER and the like on a
    function that is no aggregate."""
    for part in node.walk():
        if isinstance(part, (exp.Subquery, exp.Exists)) or (
            isinstance(part, Quantified) and part.args.get("query")
        ):
            raise NotSupportedError("A subquery in an expression is not supported yet", range=range_of(part))
        if isinstance(part, exp.Anonymous):
            _check_call(part, catalog)


def _check_call(node: exp.Anonymous, catalog: Catalog | None) -> None:
    name = node.this.upper()
    if node.args.get("over") is not None:
        raise NotSupportedError("OVER windows are not supported yet", range=range_of(node))
    if is_aggregate(node, catalog):
        return
    if node.args.get("filter") is not None:
        raise ValidationError("FILTER must be applied to aggregate function", range=range_of(node))
    if node.args.get("distinct"):
        raise ValidationError(f"DISTINCT/ALL not allowed with {name} function", range=range_of(node))
    if node.args.get("star"):
        raise ValidationError(
            "Unknown identifier '*'",
            range=range_of(node),
            hint=f"{name} takes expressions, only COUNT takes *",
        )
    if node.args.get("nulls"):
        raise ValidationError(
            f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{name}'", range=range_of(node)
        )
