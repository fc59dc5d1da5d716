"""Sizes of types and expressions in Flink's cost model (FlinkRelMdSize)."""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import BYTES_LIKE, CHARACTER, SqlType, TypeRoot

Sizes = tuple[float, ...]
"""Average size of each column in bytes."""

BYTES: dict[TypeRoot, float] = {
    TypeRoot.BOOLEAN: 1,
    TypeRoot.TINYINT: 1,
    TypeRoot.SMALLINT: 2,
    TypeRoot.INTEGER: 4,
    TypeRoot.BIGINT: 8,
    TypeRoot.FLOAT: 4,
    TypeRoot.DOUBLE: 8,
    TypeRoot.DECIMAL: 12,
    TypeRoot.CHAR: 1,
    TypeRoot.VARCHAR: 12,
    TypeRoot.BINARY: 16,
    TypeRoot.VARBINARY: 16,
    TypeRoot.VARIANT: 16,
    TypeRoot.DATE: 12,
    TypeRoot.TIME: 12,
    TypeRoot.TIMESTAMP: 12,
    TypeRoot.TIMESTAMP_LTZ: 12,
    TypeRoot.INTERVAL_YEAR_MONTH: 8,
    TypeRoot.INTERVAL_DAY_TIME: 4,
    TypeRoot.RAW: 128,
    TypeRoot.BITMAP: 128,
}
_ELEMENTS = 16
"""Number of elements that the cost model assumes in an array, a map or a multiset."""
NULL_SIZE = 1.0


def type_size(kind: SqlType) -> float:
    """Return the average size of a value of a type in bytes.

    Raises:
        NotSupportedError: The cost model has no size for the type.
    """
    root = kind.root
    if root is TypeRoot.ROW:
        return sum(map(type_size, kind.children), start=0.0)
    if root in (TypeRoot.ARRAY, TypeRoot.MAP):
        return sum(map(type_size, kind.children)) * _ELEMENTS
    if root is TypeRoot.MULTISET:
        return (type_size(kind.children[0]) + BYTES[TypeRoot.INTEGER]) * _ELEMENTS
    if root not in BYTES:
        raise NotSupportedError(
            f"EXPLAIN ESTIMATED_COST of a plan with a column of type {kind} is not supported",
            hint="leave ESTIMATED_COST out",
        )
    return float(BYTES[root])


@from_below
def expression_size(expr: Expr, below: Sizes) -> float:
    """Return the average size of an expression's values in bytes.

    A call has the size of its first argument whose type is that of the call, apart from length, precision and
    nullability. Without such an argument, it has the size of its type.

    Args:
        expr: The expression.
        below: Sizes of the input's columns.
    """
    if isinstance(expr, InputRef):
        return below[expr.index]
    if isinstance(expr, Literal):
        return literal_size(expr)
    same = next((arg for arg in expr.args if _same_type(arg.type, expr.type)), None)
    if same is None or _is_field_access(expr):
        return type_size(expr.type)
    return expression_size(same, below)


def _is_field_access(call: Call) -> bool:
    return call.function == "ITEM_FIELD"


def _same_type(a: SqlType, b: SqlType) -> bool:
    """Return whether two types are equal apart from length, precision and nullability."""
    return a.root is b.root and (not a.is_interval or a.names == b.names)


def literal_size(literal: Literal) -> float:
    value = literal.value
    if value is None:
        return NULL_SIZE
    if literal.type.root in CHARACTER and isinstance(value, str):
        return float(len(value.encode("utf-16-le")))
    if literal.type.root in BYTES_LIKE and isinstance(value, bytes):
        return float(len(value))
    return type_size(literal.type)


def is_computation(expr: Expr) -> bool:
    """Return whether the cost model counts an expression as work.

    True for calls other than CAST, False for columns, literals and casts.
    """
    return not isinstance(expr, (InputRef, Literal)) and expr.function != "CAST"
