"""Comparable types, and the casts that comparisons need. Calcite: TypeCoercionImpl, with Flink's limits."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import ROWS_EQUAL, Call, Expr, Literal
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.types import sql
from firesteel.types.coerce import common_type
from firesteel.types.sql import APPROXIMATE, BYTES_LIKE, TIMESTAMPS, SqlType, TypeRoot

_COLLECTIONS = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.ROW, TypeRoot.MULTISET, TypeRoot.BITMAP)
_EQUAL_ONLY = (TypeRoot.VARIANT, TypeRoot.BITMAP)
"""Types that can be compared by `=`, but not by `<`."""
_EQUALITY = ("=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")


class Incomparable(ValidationError):
    """Error for two types that cannot be compared. BETWEEN and IN catch it and use their own message."""


def compare(operator: str, left: Expr, right: Expr, place: SourceRange | None = None) -> Expr:
    """Return the comparison `left operator right`.

    Raises:
        ValidationError: Flink does not compare the two types.
    """
    left, right = comparable(operator, left, right, place)
    if operator == "=" and all(isinstance(e, Call) and e.function == "ROW" for e in (left, right)):
        return _rows(left, right, place)
    nullable = _holds_null(left.type) or _holds_null(right.type)
    return Call(operator, (left, right), sql.BOOLEAN.with_nullable(nullable), range=place)


def _holds_null(kind: SqlType) -> bool:
    """Return whether values of a type, or fields in them, may be NULL (SqlTypeUtil.containsNullable)."""
    return kind.nullable or (kind.root is TypeRoot.ROW and any(map(_holds_null, kind.children)))


def _rows(left: Expr, right: Expr, place: SourceRange | None) -> Expr:
    """Return the equality of two row constructors, compared field by field."""
    pairs = zip(getattr(left, "args", ()), getattr(right, "args", ()), strict=True)
    return rows_equal([compare("=", a, b, place) for a, b in pairs], place)


def rows_equal(fields: Sequence[Expr], place: SourceRange | None) -> Expr:
    """Return the equality of two rows.

    Args:
        fields: The comparison of each pair of fields.
        place: Position in the statement.
    """
    nullable = any(f.type.nullable for f in fields)
    return Call(ROWS_EQUAL, tuple(fields), sql.BOOLEAN.with_nullable(nullable), range=place)


def comparable(operator: str, left: Expr, right: Expr, place: SourceRange | None) -> tuple[Expr, Expr]:
    """Return both operands with the casts that their comparison needs.

    Raises:
        ValidationError: Flink does not compare the two types.
    """
    a, b = left.type, right.type
    if a.root is TypeRoot.NULL and b.root is TypeRoot.NULL:
        return left, right
    if a.root is TypeRoot.NULL and b.root is TypeRoot.ROW:
        raise _incomparable(operator, a, b, place)
    if a.root is TypeRoot.NULL:
        return cast(left, b), right
    if b.root is TypeRoot.NULL:
        return left, cast(right, a)
    if operator not in _EQUALITY and (a.root in _EQUAL_ONLY or _has_no_order(left, right)):
        raise ValidationError(f"Comparable type expected, but was '{a}'.", range=place)
    if operator in ("=", "<>") or a.root is TypeRoot.BITMAP:
        check_assignable([a, b], place)
        _check_structured(a, b, place)
    if _same_family(a, b):
        return left, right
    if a.is_character or b.is_character:
        return _with_string(operator, left, right, place)
    raise _incomparable(operator, a, b, place)


def _has_no_order(left: Expr, right: Expr) -> bool:
    """Return whether Flink refuses `<` and the like between two operands because of their type root.

    True for two arrays, maps, multisets, rows or bitmaps. But Flink accepts `<` if both operands are the same
    expression or one is the literal NULL.
    """
    nulls = any(isinstance(e, Literal) and e.value is None for e in (left, right))
    return (
        left.type.root in _COLLECTIONS and left.type.root is right.type.root and left != right and not nulls
    )


def _same_family(a: SqlType, b: SqlType) -> bool:
    if a.is_numeric or a.is_character or a.is_interval:
        return (a.is_numeric and b.is_numeric) or (a.is_character and b.is_character) or a.root is b.root
    if a.root in BYTES_LIKE:
        return b.root in BYTES_LIKE
    if a.root in TIMESTAMPS:
        return b.root in TIMESTAMPS
    if a.root is TypeRoot.ARRAY:
        return b.root is TypeRoot.ARRAY
    if a.root in _COLLECTIONS:
        return a.root is b.root and common_type([a, b]) is not None
    return a.root is b.root


def _with_string(operator: str, left: Expr, right: Expr, place: SourceRange | None) -> tuple[Expr, Expr]:
    """Return the operands of a comparison in which exactly one is a string, with their casts.

    The casts depend on the type of the other operand. "Equality" is `=`, `<>` and IS [NOT] DISTINCT FROM:

        number                  equality is refused; for `<` and the like, both are cast to one numeric type
        DATE, TIME, TIMESTAMP   no cast for `=` and `<>`; else the string is cast to the other type
        BOOLEAN                 no cast for equality; else the string is cast to BOOLEAN
        any other type          refused

    Raises:
        ValidationError: The comparison is refused.
    """
    kind = right.type if left.type.is_character else left.type
    if not (kind.is_numeric or kind.is_datetime or kind.root is TypeRoot.BOOLEAN):
        raise _incomparable(operator, left.type, right.type, place)
    if kind.is_numeric and operator in _EQUALITY:
        names = " and ".join(_root_name(t) for t in (left.type, right.type))
        raise ValidationError(f"implicit type conversion between {names} is not supported now", range=place)
    if kind.root is TypeRoot.BOOLEAN and operator in _EQUALITY:
        return left, right  # the operator casts at run time; plans show no cast
    if kind.is_datetime and operator in ("=", "<>"):
        return left, right
    if kind.is_numeric:
        left, right = as_numbers([left, right])
        return left, right
    return cast(left, kind), cast(right, kind)


def as_numbers(operands: Sequence[Expr]) -> list[Expr]:
    """Return operands cast to one numeric type.

    If an operand is a FLOAT or a DOUBLE, this is the common type of all such operands. Otherwise, it is the
    common type of BIGINT and all numeric operands.
    """
    numbers = [operand.type for operand in operands if operand.type.is_numeric]
    approximate = [kind for kind in numbers if kind.root in APPROXIMATE]
    found = common_type(approximate or [sql.BIGINT, *numbers])
    assert found is not None
    return [cast(operand, found) for operand in operands]


def check_assignable(types: Sequence[SqlType], place: SourceRange | None) -> None:
    """Raise ValidationError if the types mix VARIANT with VARIANT NOT NULL, or BITMAP with BITMAP NOT NULL.

    For two types that differ only in NOT NULL, Calcite asks SqlTypeAssignmentRule whether a value of one can
    be assigned to the other. SqlTypeAssignmentRule has no entries for VARIANT and BITMAP, and fails.
    """
    for root in _EQUAL_ONLY:
        if len({t.nullable for t in types if t.root is root}) > 1:
            name = "VARIANT" if root is TypeRoot.VARIANT else "OTHER"
            raise ValidationError(f"No assign rules for {name} defined", range=place)


def _check_structured(a: SqlType, b: SqlType, place: SourceRange | None) -> None:
    """Raise ValidationError for two objects of different structured types.

    Types that differ only in whether the whole object may be NULL count as equal.
    """
    if a.class_name and b.class_name and a.with_nullable(True) != b.with_nullable(True):
        raise ValidationError(f"Incompatible structured types: {a} and {b}.", range=place)


def _root_name(kind: SqlType) -> str:
    return calcite_name(kind).split("(")[0]


def _incomparable(operator: str, a: SqlType, b: SqlType, place: SourceRange | None) -> Incomparable:
    shown = f"<{calcite_name(a)}> {operator} <{calcite_name(b)}>"
    form = f"'<COMPARABLE_TYPE> {operator} <COMPARABLE_TYPE>'"
    return Incomparable(
        f"Cannot apply '{operator}' to arguments of type '{shown}'. Supported form(s): {form}",
        range=place,
    )
