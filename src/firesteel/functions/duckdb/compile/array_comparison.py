"""Compilation of `=` and `<>` of two arrays, with the results of Flink's generated code.

Flink (ScalarOperatorGens.generateArrayComparison) has two comparisons:
- If both arrays are in binary form, they are equal if their bytes are. A NULL element then equals NULL. An
  array is in binary form after an exchange, and if ARRAY[...] creates it.
- Other arrays are compared element by element. A NULL element then equals nothing. If the types of the
  elements differ, Java's equals compares them, and only empty arrays are equal.
"""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.types.coerce import common_type
from firesteel.types.sql import SqlType, TypeRoot

Operand = tuple[str, Expr]


def compared_arrays(operator: str, left: Operand, right: Operand, exchanged: bool) -> str:
    """Return the SQL of the comparison of two arrays, each given as its SQL and its expression.

    Args:
        exchanged: Whether the input has passed an exchange, so that arrays in its columns are binary.

    Raises:
        NotSupportedError: Both arrays are in binary form, and their types have no common type.
    """
    (a, x), (b, y) = left, right
    binary = all(_is_binary(e, exchanged) for e in (x, y))
    if common_type((x.type, y.type)) is None:
        if binary:
            raise NotSupportedError(
                f"comparing {x.type} with {y.type} byte by byte is not supported", range=x.range
            )
        equal = f"(len({a}) + len({b}) = 0)"
        return equal if operator == "=" else f"(NOT {equal})"
    if binary or not (whole := _without_null(a, x.type, 0)):
        return f"({a} {operator} {b})"
    equal = f"({a} = {b} AND ({whole} OR {b} IS NULL))"
    return equal if operator == "=" else f"(NOT {equal})"


def _is_binary(expr: Expr, exchanged: bool) -> bool:
    if isinstance(expr, InputRef):
        return exchanged
    return isinstance(expr, Call) and expr.function == "ARRAY"


def _without_null(array: str, kind: SqlType, depth: int) -> str:
    """Return the SQL condition that no element is NULL, also in nested arrays.

    It is "" if all elements are NOT NULL by their type. `depth` is the level of nesting, from 0.
    """
    (element,) = kind.children
    conditions = [f"list_count({array}) = len({array})"] if element.nullable else []
    if element.root is TypeRoot.ARRAY:
        name = f"e{depth}"
        if inner := _without_null(name, element, depth + 1):
            conditions.append(
                f"coalesce(list_bool_and(list_transform({array}, lambda {name}: {inner})), TRUE)"
            )
    return f"({' AND '.join(conditions)})" if conditions else ""
