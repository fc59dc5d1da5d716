"""Bind the arguments of an aggregate call and its options: IGNORE NULLS, and ON NULL of JSON functions."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from firesteel.bind.binder import Binder
from firesteel.errors import ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.sql import syntax
from firesteel.types.sql import DOUBLE, TypeRoot, array


def arguments(node: syntax.Call, name: str, binder: Binder) -> list[Expr]:
    """Return the bound arguments of a call of an aggregate function; none for COUNT(*).

    Raises:
        ValidationError: The number of arguments is wrong, or an argument must be a literal and is not.
    """
    place = node.range
    if node.star:
        if name != "COUNT":
            raise ValidationError("Unknown identifier '*'", range=place, hint="only COUNT takes *")
        return []
    wanted = 2 if name in ("JSON_OBJECTAGG", "PERCENTILE") else 1
    if not node.args or (len(node.args) > 1 and traits_of(name).one_argument):
        raise ValidationError(
            f"Invalid number of arguments to function '{name}'. Was expecting {wanted} arguments",
            range=place,
        )
    args = [binder.bind_typed(arg) for arg in node.args]
    if name == "LISTAGG" and len(args) > 1 and not isinstance(args[1], Literal):
        raise ValidationError("Argument to function 'LISTAGG' must be a literal", range=place)
    if name == "PERCENTILE":
        return _percentile(args, node)
    return args


def _percentile(args: Sequence[Expr], node: syntax.Call) -> list[Expr]:
    """Return the arguments of PERCENTILE, with the percentages cast to DOUBLE.

    The types are checked later, by aggregate_type.
    """
    if len(args) == 1:
        raise ValidationError(
            "No match found for function signature PERCENTILE(<NUMERIC>).", range=node.range
        )
    value, share, *frequency = args
    if isinstance(share, Literal) and isinstance(share.value, (int, float, Decimal)):
        if not 0 <= share.value <= 1:
            raise ValidationError("Invalid input arguments.", range=share.range or node.range)
        share = cast(share, DOUBLE)
    elif share.type.root is TypeRoot.ARRAY and share.type.children[0].is_numeric:
        nullable = share.type.children[0].nullable
        share = cast(share, array(DOUBLE.with_nullable(nullable)))
    elif share.type.is_numeric:
        share = cast(share, DOUBLE)
    return [value, share, *frequency]


def options(node: syntax.Call, name: str) -> tuple[str, ...]:
    """Return the options of an aggregate call: ("IGNORE NULLS",), ("ABSENT ON NULL",) and the like, or ().

    Raises:
        ValidationError: IGNORE NULLS or RESPECT NULLS stands after a function that does not take it, or
            together with FILTER.
    """
    nulls, traits = node.nulls, traits_of(name)
    if nulls and not traits.takes_nulls:
        raise ValidationError(
            f"Cannot specify IGNORE NULLS or RESPECT NULLS following '{name}'", range=node.range
        )
    if nulls and node.filter is not None:
        raise ValidationError("FILTER must be applied to aggregate function", range=node.range)
    if traits.on_null is not None:
        return (f"{node.json.on_null or traits.on_null} ON NULL",)
    return ("IGNORE NULLS",) if nulls == "IGNORE" else ()
