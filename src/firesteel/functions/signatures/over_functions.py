"""Functions that only OVER windows compute. Flink: LagAggFunction, RankAggFunction, RowNumberAggFunction."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.types.sql import SqlType, TypeRoot

OVER_ONLY = frozenset({"ROW_NUMBER", "RANK", "DENSE_RANK", "LAG"})
"""Names of functions that only OVER windows compute.

LEAD and NTILE are missing: streaming queries cannot use them.
"""


def check_lag(args: Sequence[Expr], place: SourceRange) -> SqlType:
    """Return the type of LAG(value, offset, default).

    Raises:
        ValidationError: Flink rejects the arguments.
        NotSupportedError: The offset is not a literal.
    """
    if not 1 <= len(args) <= 3:
        raise ValidationError(
            "Invalid number of arguments to function 'LAG'. Was expecting 1 arguments", range=place
        )
    kind = args[0].type
    if len(args) > 1:
        _check_offset(args[1], place)
    if len(args) < 3:
        return kind.with_nullable(True)
    default = args[2].type
    if default.root is not TypeRoot.NULL and not _one_class(default, kind):
        raise ValidationError(  # As in Flink, the message has the type of the offset, not of the value.
            f"Please explicitly cast default value {default} to {args[1].type}.", range=args[2].range or place
        )
    return kind.with_nullable(kind.nullable or default.nullable)


def _check_offset(offset: Expr, place: SourceRange) -> None:
    if not isinstance(offset, Literal) or not isinstance(offset.value, int):
        raise NotSupportedError("LAG with an offset that is no literal", range=offset.range or place)
    if offset.value < 0:
        raise ValidationError(f"Offset({offset.value}) should be positive.", range=offset.range or place)


def _one_class(a: SqlType, b: SqlType) -> bool:
    return a.root is b.root or (a.is_character and b.is_character)
