"""CAST in plans: omitted if the type is unchanged, folded into a literal if possible.

Rules: Calcite's RexBuilder.makeCast and RexBuilder.canRemoveCastFromLiteral.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.moment_casting import moment_of_text, recast_moment
from firesteel.functions.expression.nodes import Call, Expr, Literal, Plain, Value
from firesteel.types.coerce import can_cast
from firesteel.types.decimals import EXACT
from firesteel.types.sql import APPROXIMATE, INTEGERS, SqlType, TypeRoot

_LIMITS = {TypeRoot.TINYINT: 7, TypeRoot.SMALLINT: 15, TypeRoot.INTEGER: 31, TypeRoot.BIGINT: 63}


def cast(expr: Expr, target: SqlType, range: SourceRange | None = None, moments: bool = False) -> Expr:
    """Return the expression cast to `target`, with the nullability of the expression.

    Args:
        expr: The expression.
        target: Type to cast to.
        range: Position of the CAST in the script.
        moments: Whether a text literal that is cast to DATE or TIMESTAMP becomes a literal of this type.
            Flink does this only when it simplifies expressions.

    Raises:
        ValidationError: Flink has no such cast.
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
    """Return the literal with the source position of the whole cast."""
    return literal if range is None else replace(literal, range=range)


def _folded(literal: Literal, kind: SqlType, moments: bool) -> Literal | None:
    if literal.value is None:
        return replace(literal, type=kind.with_nullable(True))
    if literal.type.is_character and kind.root in (TypeRoot.DATE, TypeRoot.TIMESTAMP) and not moments:
        return None
    value = _converted(literal.value, literal.type, kind)
    return None if value is None else replace(literal, value=value, type=kind)


def _converted(value: Value, source: SqlType, target: SqlType) -> Value:
    """Return the value of a literal, which is not NULL, for the target type; None if the CAST must stay."""
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
    ):  # A float takes the digits that Java prints.
        value = float(value)
    return _decimal(Decimal(repr(value) if isinstance(value, float) else value), target)


def _decimal(value: Decimal, target: SqlType) -> Decimal | None:
    """Return the value with all its digits, or None if its integral digits do not fit the type.

    Digits beyond the scale stay: plans show them, and a cast to a wider type uses them. Generated code rounds
    the literal (rounded_literal). Calcite: SqlTypeUtil.isValidDecimalValue checks integral digits only.
    """
    whole = (target.precision or 0) - (target.scale or 0)
    return value if not value or value.adjusted() + 1 <= whole else None


def rounded_literal(literal: Literal) -> Literal:
    """Return the literal as a value of its type: a DECIMAL rounded to the scale of its type.

    A value that then has too many digits is NULL: 9.995 as DECIMAL(3, 2) (Flink: DecimalData.fromBigDecimal).
    """
    if literal.type.root is not TypeRoot.DECIMAL or not isinstance(literal.value, Decimal):
        return literal
    places = literal.value.as_tuple().exponent
    fits = isinstance(places, int) and -places <= (literal.type.scale or 0)
    rounded = literal if fits else with_all_digits(literal)
    assert isinstance(rounded.value, Decimal)
    return rounded if _decimal(rounded.value, rounded.type) is not None else replace(literal, value=None)


def with_all_digits(literal: Literal) -> Literal:
    """Return a DECIMAL literal with all digits of its scale: 2.50 for 2.5 of type DECIMAL(3, 2)."""
    value, kind = literal.value, literal.type
    if not isinstance(value, Decimal) or kind.root is not TypeRoot.DECIMAL:
        return literal
    return replace(literal, value=value.quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=EXACT))


def as_type(expr: Expr, kind: SqlType) -> Expr:
    """Return the expression as type `kind`, with the expression's nullability.

    A literal whose value the type can hold gets the new type. Other expressions get a CAST.
    """
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
