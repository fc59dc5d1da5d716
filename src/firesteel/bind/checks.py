"""What an expression is searched for before it is bound: what Flink refuses, what comes later."""

from __future__ import annotations

from sqlglot import exp

from firesteel.errors import NotSupportedError, ValidationError
from firesteel.expr.aggregates import AGGREGATES
from firesteel.sql.dialect import Quantified, range_of


def is_aggregate(node: exp.Expression) -> bool:
    """Whether the node is a call of an aggregate function (and not over a window)."""
    return isinstance(node, exp.Anonymous) and node.this.upper() in AGGREGATES and not node.args.get("over")


def check_expression(node: exp.Expression) -> None:
    """Raises NotSupportedError for subqueries and OVER, ValidationError for FILTER and the like on a
    function that is no aggregate."""
    for part in node.walk():
        if isinstance(part, (exp.Subquery, exp.Exists)) or (
            isinstance(part, Quantified) and part.args.get("query")
        ):
            raise NotSupportedError("A subquery in an expression is not supported yet", range=range_of(part))
        if isinstance(part, exp.Anonymous):
            _check_call(part)


def _check_call(node: exp.Anonymous) -> None:
    name = node.this.upper()
    if node.args.get("over") is not None:
        raise NotSupportedError("OVER windows are not supported yet", range=range_of(node))
    if name in AGGREGATES:
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
