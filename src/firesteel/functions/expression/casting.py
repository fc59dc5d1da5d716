"""CAST as the planner writes it: none where the type is the same, folded into a literal where it fits.

Rules: Calcite's RexBuilder.makeCast and RexBuilder.canRemoveCastFromLiteral.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_UP, Context, Decimal

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.moment_casting import moment_of_text, recast_moment
from firesteel.functions.expression.nodes import Call, Expr, Literal, Plain, Value
from firesteel.types.coerce import can_cast
from firesteel.types.sql import APPROXIMATE, INTEGERS, SqlType, TypeRoot

_LIMITS = {TypeRoot.TINYINT: 7, TypeRoot.SMALLINT: 15, TypeRoot.INTEGER: 31, TypeRoot.BIGINT: 63}

_EXACT = Context(prec=80, rounding=ROUND_HALF_UP)


def cast(expr: Expr, target: SqlType, range: SourceRange | None = None, moments: bool = False) -> Expr:
    """The expression as `target`; its own nullability is kept. moments: a text becomes a DATE or TIMESTAMP
    literal, as where expressions are simplified.

    Raises ValidationError where Flink has no such cast.
    """
    kind = target.with_nullable(expr.type.nullable)
    if expr.type.same_as(kind):
        return _placed(expr, range) if isinstance(expr, Literal) else expr
    if not can_cast(expr.type, kind):
        raise ValidationError(
            f"Cast function cannot convert value of type {expr.type.with_nullable(True)} to type "
            f"{target.with_nullable(True)}",
            range=range or expr.range,
        )
    if isinstance(expr, Literal):
        folded = _folded(expr, kind, moments)
        if folded is not None:
            return _placed(folded, range)
    return Call("CAST", (expr,), kind, range=range or expr.range)


def _placed(literal: Literal, range: SourceRange | None) -> Literal:
    """The literal in the place of the whole cast."""
    return literal if range is None else replace(literal, range=range)


def _folded(literal: Literal, kind: SqlType, moments: bool) -> Literal | None:
    if literal.value is None:
        return replace(literal, type=kind.with_nullable(True))
    if literal.type.is_character and kind.root in (TypeRoot.DATE, TypeRoot.TIMESTAMP) and not moments:
        return None
    value = _converted(literal.value, literal.type, kind)
    return None if value is None else replace(literal, value=value, type=kind)


def _converted(value: Value, source: SqlType, target: SqlType) -> Value:
    """The literal's value as one of the target type, or None where a CAST must stay."""
    root = target.root
    if source.root is TypeRoot.CHAR and isinstance(value, str):
        if root is TypeRoot.VARCHAR and len(value) <= (target.length or 0):
            return value
        return moment_of_text(value, target) if root in (TypeRoot.DATE, TypeRoot.TIMESTAMP) else None
    if source.root is TypeRoot.TIMESTAMP:
        return recast_moment(value, source, target)
    if not source.is_numeric or not target.is_numeric or not isinstance(value, (int, float, Decimal)):
        return None
    if root in INTEGERS:
        fits = source.root in INTEGERS and -(1 << _LIMITS[root]) <= value < 1 << _LIMITS[root]
        return int(value) if fits else None
    if root in APPROXIMATE:
        return float(value) if source.root in APPROXIMATE and not isinstance(value, Plain) else Plain(value)
    if source.root is TypeRoot.DOUBLE and value == Decimal(
        float(value)
    ):  # computed: with the digits Java shows
        value = float(value)
    return _decimal(Decimal(repr(value) if isinstance(value, float) else value), target)


def _decimal(value: Decimal, target: SqlType) -> Decimal | None:
    """With the digits that were written, also those that the type has no place for: plans show them, a cast
    to a wider type has them again, and code that is generated for the literal rounds (rounded_literal).
    Calcite: SqlTypeUtil.isValidDecimalValue looks at the digits before the point only."""
    whole = (target.precision or 0) - (target.scale or 0)
    return value if not value or value.adjusted() + 1 <= whole else None


def rounded_literal(literal: Literal) -> Literal:
    """The literal as a value of its type: a decimal without the digits that its type has no place for, NULL
    if it has too many then, as 9.995 as DECIMAL(3, 2) (Flink: DecimalData.fromBigDecimal)."""
    if literal.type.root is not TypeRoot.DECIMAL or not isinstance(literal.value, Decimal):
        return literal
    places = literal.value.as_tuple().exponent
    fits = isinstance(places, int) and -places <= (literal.type.scale or 0)
    rounded = literal if fits else with_all_digits(literal)
    assert isinstance(rounded.value, Decimal)
    return rounded if _decimal(rounded.value, rounded.type) is not None else replace(literal, value=None)


def with_all_digits(literal: Literal) -> Literal:
    """A DECIMAL as its type has it: 2.50 for a 2.5 that is a DECIMAL(3, 2)."""
    value, kind = literal.value, literal.type
    if not isinstance(value, Decimal) or kind.root is not TypeRoot.DECIMAL:
        return literal
    return replace(literal, value=value.quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=_EXACT))


def as_type(expr: Expr, kind: SqlType) -> Expr:
    """The expression as another type; a literal that the type can hold is retyped, its value kept."""
    target = kind.with_nullable(expr.type.nullable)
    if expr.type.same_as(target):
        return expr
    if isinstance(expr, Literal) and _holds(target, expr):
        if target.root in APPROXIMATE and isinstance(expr.value, Decimal):
            return replace(expr, type=target, value=Plain(expr.value))
        return replace(expr, type=target)
    return Call("CAST", (expr,), target)


def _holds(kind: SqlType, literal: Literal) -> bool:
    value = literal.value
    if value is None:
        return True
    if kind.is_character and isinstance(value, str):
        return kind.root is TypeRoot.VARCHAR and len(value) <= (kind.length or 0)
    if kind.is_numeric and isinstance(value, (int, Decimal)) and literal.type.is_numeric:
        return kind.root in APPROXIMATE or kind.root is TypeRoot.DECIMAL or isinstance(value, int)
    return kind.root is literal.type.root and kind.is_datetime
