"""What is written between and after the parentheses of an aggregate call."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from sqlglot import exp

from firesteel.bind.scalar import ScalarBinder
from firesteel.errors import ValidationError
from firesteel.expr.casting import cast
from firesteel.expr.nodes import Expr, Literal
from firesteel.sql.dialect import range_of
from firesteel.types.sql import DOUBLE, TypeRoot, array

_TAKES_NULLS = ("ARRAY_AGG",)
_ON_NULL = {"JSON_ARRAYAGG": "ABSENT", "JSON_OBJECTAGG": "NULL"}
"""What these do with NULL where nothing is said."""

_ONE_ARGUMENT = frozenset(
    {"SUM", "AVG", "MIN", "MAX", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP"}
    | {"FIRST_VALUE", "LAST_VALUE", "COLLECT", "ARRAY_AGG", "SINGLE_VALUE", "$SUM0", "JSON_ARRAYAGG"}
)


def arguments(node: exp.Expression, name: str, binder: ScalarBinder) -> list[Expr]:
    """The arguments of the call of an aggregate function; none for COUNT(*).

    Raises ValidationError where there are too few or too many, or one must be a literal and is not.
    """
    place = range_of(node)
    if node.args.get("star"):
        if name != "COUNT":
            raise ValidationError("Unknown identifier '*'", range=place, hint="only COUNT takes *")
        return []
    wanted = 2 if name in ("JSON_OBJECTAGG", "PERCENTILE") else 1
    if not node.expressions or (len(node.expressions) > 1 and name in _ONE_ARGUMENT):
        raise ValidationError(
            f"Invalid number of arguments to function '{name}'. Was expecting {wanted} arguments",
            range=place,
        )
    args = [binder.bind_typed(arg) for arg in node.expressions]
    if name == "LISTAGG" and len(args) > 1 and not isinstance(args[1], Literal):
        raise ValidationError("Argument to function 'LISTAGG' must be a literal", range=place)
    if name == "PERCENTILE":
        return _percentile(args, node)
    return args


def _percentile(args: Sequence[Expr], node: exp.Expression) -> list[Expr]:
    """The percentages as DOUBLE; of the types, aggregate_type takes care."""
    if len(args) == 1:
        raise ValidationError(
            "No match found for function signature PERCENTILE(<NUMERIC>).", range=range_of(node)
        )
    value, share, *frequency = args
    if isinstance(share, Literal) and isinstance(share.value, (int, float, Decimal)):
        if not 0 <= share.value <= 1:
            raise ValidationError("Invalid input arguments.", range=share.range or range_of(node))
        share = cast(share, DOUBLE)
    elif share.type.root is TypeRoot.ARRAY and share.type.children[0].is_numeric:
        nullable = share.type.children[0].nullable
        share = cast(share, array(DOUBLE.with_nullable(nullable)))
    elif share.type.is_numeric:
        share = cast(share, DOUBLE)
    return [value, share, *frequency]


def options(node: exp.Expression, name: str) -> tuple[str, ...]:
    """What is written with the call and is no argument.

    Raises ValidationError for null treatment where there is none to choose, in Flink's words.
    """
    nulls = node.args.get("nulls")
    if nulls and name not in _TAKES_NULLS:
        raise ValidationError(
            f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{name}'", range=range_of(node)
        )
    if nulls and node.args.get("filter"):
        raise ValidationError("FILTER must be applied to aggregate function", range=range_of(node))
    if name in _ON_NULL:
        return (f"{node.args.get('on_null') or _ON_NULL[name]} ON NULL",)
    return ("IGNORE NULLS",) if nulls == "IGNORE" else ()
