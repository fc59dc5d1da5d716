"""Simplification of CAST (Calcite: RexSimplify.simplifyCast)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from firesteel.functions.duckdb.constant_calls import constant, in_place_of_null
from firesteel.functions.expression.casting import cast, rounded_literal
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.simplify.simplifier import Simplifier
from firesteel.types.sql import INTEGERS, SqlType, TypeRoot


def simplify_cast(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    """Return a cast in its simplest form: its operand, a literal, or a cast of a simpler operand."""
    inner = simplifier(call.args[0], "unknown")
    if _keeps(inner.type, call.type) and not (call.options and inner == call.args[0]):
        return inner  # a cast of a time attribute to its own type stays: it makes a plain timestamp
    if isinstance(inner, Literal):
        return fold_cast(replace(call, args=(inner,)), inner)
    if isinstance(inner, Call) and inner.function == "CAST" and is_lossless(inner.args[0].type, inner.type):
        source = inner.args[0]
        if _keeps(source.type, call.type):
            return source
        if source.type.root is not TypeRoot.CHAR and is_lossless(inner.type, call.type):
            return replace(call, args=(source,))
    return call if inner == call.args[0] else replace(call, args=(inner,))


def _keeps(source: SqlType, target: SqlType) -> bool:
    """Return whether a value needs no cast: the types are equal, or the target only adds NULL."""
    return source == target or (source.same_as(target) and target.nullable)


def is_lossless(source: SqlType, target: SqlType) -> bool:
    """Return whether the target holds every value of the source, without merging any.

    Calcite: RexUtil.isLosslessCast.
    """
    if source.same_as(target):
        return True
    if source.root in INTEGERS and target.root in INTEGERS:
        return INTEGERS.index(target.root) >= INTEGERS.index(source.root)
    if source.is_character and target.is_character and target.root is not TypeRoot.CHAR:
        return (target.length or 0) >= (source.length or 0)
    if source.is_numeric and target.is_character:
        return (target.length or 0) >= _characters(source)
    return False


def _characters(number: SqlType) -> int:
    """Return the greatest length of a number's text: its digits, the sign, the point."""
    digits = _DIGITS.get(number.root, number.precision or 0)
    return digits + 1 + (1 if number.scale else 0)


_DIGITS = {
    TypeRoot.TINYINT: 3,
    TypeRoot.SMALLINT: 5,
    TypeRoot.INTEGER: 10,
    TypeRoot.BIGINT: 19,
    TypeRoot.FLOAT: 7,
    TypeRoot.DOUBLE: 15,
}


_LIMITS = {
    TypeRoot.TINYINT: 1 << 7,
    TypeRoot.SMALLINT: 1 << 15,
    TypeRoot.INTEGER: 1 << 31,
    TypeRoot.BIGINT: 1 << 63,
}


def fold_cast(call: Call, literal: Literal) -> Expr:
    """Return the literal that a CAST of a literal evaluates to.

    If the CAST changes only nullability, or cannot be computed at planning time, it is returned as a call.
    """
    kind, value = call.type, rounded_literal(literal).value
    if literal.type.same_as(kind):
        return call
    if value is None and literal.value is not None and (default := in_place_of_null(kind, call)) is not None:
        # The literal has too many digits for its DECIMAL type, so its value is NULL. For a NOT NULL cast of
        # NULL, Flink's generated code has the default value of the target type.
        return default
    if kind.root in INTEGERS:
        if (isinstance(value, str) and value.isascii() and value.strip().isdigit()) or (
            isinstance(value, (Decimal, float)) and value == value
        ):
            value = int(value)
        limit = _LIMITS[kind.root]
        if isinstance(value, int) and not isinstance(value, bool):
            if literal.type.is_integer:
                value = (value + limit) % (2 * limit) - limit  # wrap around as Java's narrowing does
            if -limit <= value < limit:
                return Literal(value, kind, call.range)
    changed = cast(literal, kind, call.range, moments=True)
    computed = isinstance(changed, Call) and {kind.root, literal.type.root} != {TypeRoot.DECIMAL}
    return constant(changed) if isinstance(changed, Call) and computed else changed
