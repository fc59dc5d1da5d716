"""Fold constants: calls of literals become literals.

    1 + 2  ->  3        UPPER('a')  ->  'A'

Flink: ReduceExpressionsRule with its ExpressionReducer. Simple calls are computed here. Others are computed
by the code that runs them for each row (functions/duckdb/constant_calls.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import partial
from math import isfinite
from typing import Any

from firesteel.functions.duckdb.compile.known import typeof_text
from firesteel.functions.duckdb.constant_calls import as_largest, constant, has_no_literal, is_null, varies
from firesteel.functions.expression.casting import rounded_literal, with_all_digits
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import walk
from firesteel.plan.simplify import simplify_value
from firesteel.plan.simplify.casts import fold_cast
from firesteel.rules.normalize.fold_json import FOLDED, constant_text, fold_json, is_kept
from firesteel.rules.normalize.refuse_division import is_constant
from firesteel.types.decimals import EXACT
from firesteel.types.sql import APPROXIMATE, INTEGER_BITS, INTEGERS, SqlType, TypeRoot


def fold_constants(expr: Expr, zone: str | None = None) -> Expr:
    """Return the expression with its constant parts computed. The result is cached in the expression.

    Args:
        expr: The expression.
        zone: Time zone of the session. None leaves calls that depend on it.
    """
    if not isinstance(expr, Call):
        return expr
    answers, name = expr.__dict__, f"_folded_{zone}"
    if name not in answers:
        folded = _of_parts(expr, zone)
        answers[name] = None if folded is expr else folded  # avoid a reference cycle
    return answers[name] or expr


@from_below
def _of_parts(expr: Call, zone: str | None) -> Expr:
    """Return the expression with its largest constant parts computed, each as a whole, as in Flink.

    Two kinds of parts stay as they are written, with all constants in them: parts of a type without literals,
    such as ARRAY, and parts that are NULL although their type is NOT NULL.
    """
    if is_kept(expr) or _stays_whole(expr):
        return expr
    folded = _bottom_up(expr, zone)
    if isinstance(folded, Literal) or not is_constant(expr):
        return folded
    if isinstance(folded, Call) and folded.function in _SIMPLIFIED:
        simplified = simplify_value(folded)
        if isinstance(simplified, Literal):
            return simplified
    whole = constant(expr, zone)
    return whole if whole is not expr or has_no_literal(expr) else folded


_OBJECTS = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.VARIANT, TypeRoot.BITMAP)


def _stays_whole(expr: Call) -> bool:
    """Return whether an expression is a constant that Flink leaves as written.

    These are constants of a type in `_OBJECTS` (ARRAY, MAP, ...) or of a structured type, and casts of
    ARRAY[...] to any type.
    """
    of_array = expr.function == "CAST" and getattr(expr.args[0], "function", "") == "ARRAY"
    return (of_array or expr.type.root in _OBJECTS or bool(expr.type.class_name)) and is_constant(expr)


def _bottom_up(expr: Call, zone: str | None) -> Expr:
    if expr.function == "TYPEOF" and _has_known_type(expr.args[0]):  # folding changes the argument's type
        return Literal(typeof_text(expr), expr.type.with_nullable(False), expr.range)
    is_part = is_constant(expr)
    args = [_argument(a, zone, is_part) if isinstance(a, Call) else a for a in expr.args]
    call = expr.with_args(tuple(args))
    folded = _folded(call, zone)
    if call is expr:
        return folded
    return _padded(folded) if expr.function == "CAST" else folded


def _argument(argument: Call, zone: str | None, is_part: bool) -> Expr:
    """Return an argument folded.

    Args:
        argument: The argument.
        zone: Time zone of the session, or None.
        is_part: Whether the argument is part of a larger constant.
    """
    folded = fold_constants(argument, zone)
    return folded if is_part or not isinstance(folded, Call) else as_largest(folded)


def _padded(expr: Expr) -> Expr:
    """Return a computed literal with all digits of its type. Any other expression stays as it is."""
    return computed(expr) if isinstance(expr, Literal) else expr


def computed(literal: Literal) -> Literal:
    """Return a literal as a computed value is printed: 2.50 for DECIMAL(3, 2), 7E0 for the DOUBLE 7.0."""
    value = literal.value
    if literal.type.root is TypeRoot.DOUBLE and isinstance(value, (int, float, Decimal)) and isfinite(value):
        return replace(literal, value=Decimal(float(value)))
    return with_all_digits(literal)


def _has_known_type(argument: Expr) -> bool:
    """Return whether the planner knows the type that TYPEOF of an argument prints.

    It does not if the argument reads a column, has a ROW, or varies from call to call.
    """
    return not any(
        isinstance(e, InputRef) or e.type.root is TypeRoot.ROW or (isinstance(e, Call) and varies(e))
        for e in walk(argument)
    )


def _folded(expr: Call, zone: str | None) -> Expr:
    args = expr.args
    if expr.function in _NULL_TESTS and isinstance(args[0], Call) and is_null(args[0]):
        return Literal(expr.function == "IS NULL", expr.type, expr.range)
    if expr.function in FOLDED or expr.function in _FOLD:
        args = tuple(constant_text(a, partial(fold_constants, zone=zone)) for a in args)
    if not all(isinstance(a, Literal) for a in args):
        return expr if expr.function in _SIMPLIFIED or args is not expr.args else constant(expr, zone)
    written = [a for a in args if isinstance(a, Literal)]
    literals = [*map(rounded_literal, written)]
    if expr.function in FOLDED:
        return fold_json(expr, list(map(with_all_digits, literals)))
    if expr.function == "CAST":
        return fold_cast(expr, written[0])
    if expr.function in _CHOOSE:
        return _chosen(expr, [a.value for a in literals])
    fold = _FOLD.get(expr.function)
    if fold is None:
        return expr if expr.function in _SIMPLIFIED else constant(expr, zone)
    if any(a.value is None for a in literals):
        return constant(expr, zone)
    value = fold(expr, [a.value for a in literals])
    if value is not None:
        return _literal(value, expr)
    return expr if expr.function in _LEFT else constant(expr, zone)


_NULL_TESTS = ("IS NULL", "IS NOT NULL")
_CHOOSE = frozenset({"COALESCE", "IFNULL", "IF"})
_LEFT = frozenset({"UPPER", "LOWER"})
"""Functions whose calls stay if `_FOLD` cannot compute them.

For calls of other functions, `constant` then runs the code that also runs for each row.
"""
_SIMPLIFIED = frozenset(
    [
        *("AND", "OR", "NOT", "CASE", "SEARCH", "=", "<>", "<", "<=", ">", ">=", "ROW"),
        *("IS NULL", "IS NOT NULL", "IS TRUE", "IS FALSE", "IS NOT TRUE", "IS NOT FALSE"),
        *("IS DISTINCT FROM", "IS NOT DISTINCT FROM"),
    ]
)
"""Functions that plan/simplify handles."""


def _chosen(call: Call, values: Sequence[Any]) -> Expr:
    """Return the argument that is the result of COALESCE, IFNULL or IF.

    The call stays if the types differ.
    """
    if call.function == "IF":
        place = 1 if values[0] is True else 2
    else:
        place = next((i for i, value in enumerate(values) if value is not None), 0)
    chosen = call.args[place]
    if values[place] is None:
        return Literal(None, call.type.with_nullable(True), call.range)
    return Literal(values[place], call.type, call.range) if chosen.type.same_as(call.type) else call


def _literal(value: Any, call: Call) -> Literal:
    kind = call.type.with_nullable(False)
    if isinstance(value, str) and kind.root is TypeRoot.CHAR:
        kind = replace(kind, length=len(_units(value)) // 2)
    return Literal(value, kind, call.range)


def _units(text: str) -> bytes:
    """Return the text as UTF-16 bytes. Java compares and counts texts in these 16-bit units."""
    return text.encode("utf-16-le", "surrogatepass")


def _wrapped(value: int, kind: SqlType) -> int:
    bits = INTEGER_BITS[kind.root]
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def _arithmetic(call: Call, values: Sequence[Any]) -> Any:
    kind = call.type
    if kind.root is TypeRoot.DOUBLE and len(values) == 2 and all(isinstance(v, float) for v in values):
        return _of_doubles(call.function, *values)
    if (
        any(isinstance(v, bool) or not isinstance(v, (int, Decimal)) for v in values)
        or kind.root in APPROXIMATE
    ):
        return None
    with localcontext(EXACT):
        if len(values) == 1:
            return _typed(-values[0], kind)
        a, b = values
        if call.function in ("/", "MOD"):
            return None if b == 0 else _typed(_divided(call.function, a, b, kind), kind)
        return _typed({"+": a + b, "-": a - b, "*": a * b}[call.function], kind)


def _of_doubles(function: str, a: float, b: float) -> Decimal | None:
    """Return the result of an operation on two doubles as a decimal with exactly its value.

    None if the planner leaves the call: MOD, a division by 0, and a result that is 0, NaN or infinite.

    Args:
        function: `+`, `-`, `*`, `/` or MOD.
        a: The first operand.
        b: The second operand.
    """
    if function == "MOD" or (function == "/" and b == 0):
        return None
    result = {"+": a + b, "-": a - b, "*": a * b, "/": a / (b or 1.0)}[function]
    return Decimal(result) if isfinite(result) and result else None


def _divided(function: str, a: Any, b: Any, kind: SqlType) -> Any:
    """Return the quotient of two numbers (`/`) or the remainder (MOD), which has the sign of `a`.

    If the result type is DECIMAL, the quotient has up to 80 digits, and the caller rounds it. Otherwise, the
    quotient is truncated to an integer.
    """
    if kind.root is TypeRoot.DECIMAL and function == "/":
        return Decimal(a) / Decimal(b)
    quotient = abs(a) // abs(b)
    quotient = quotient if (a < 0) == (b < 0) else -quotient
    return quotient if function == "/" else a - b * quotient


def _typed(value: Any, kind: SqlType) -> Any:
    if kind.root in INTEGERS:
        return _wrapped(int(value), kind)
    if kind.root is TypeRoot.DECIMAL:
        whole = (kind.precision or 0) - (kind.scale or 0)
        rounded = Decimal(value).quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=EXACT)
        return rounded if abs(rounded) < Decimal(10) ** whole else None
    return value if kind.is_interval else None


def _text(function: Callable[[str], Any]) -> Callable[[Call, Sequence[Any]], Any]:
    def fold(call: Call, values: Sequence[Any]) -> Any:
        ascii_text = isinstance(values[0], str) and values[0].isascii()
        return function(values[0]) if ascii_text and len(values) == 1 else None

    return fold


def _in_case(change: Callable[[str], str]) -> Callable[[Call, Sequence[Any]], Any]:
    r"""Return the function that folds UPPER or LOWER of a literal. `change` converts a text.

    A result longer than the type ('\u00df' becomes 'SS') is cut to the type's length.
    """

    def fold(call: Call, values: Sequence[Any]) -> Any:
        if not isinstance(values[0], str):
            return None
        return _units(change(values[0]))[: 2 * (call.type.length or 0)].decode("utf-16-le", "replace")

    return fold


def _concat(call: Call, values: Sequence[Any]) -> Any:
    return "".join(values) if all(isinstance(v, str) for v in values) else None


def _abs(call: Call, values: Sequence[Any]) -> Any:
    return _typed(abs(values[0]), call.type) if isinstance(values[0], (int, Decimal)) else None


def _extreme(call: Call, values: Sequence[Any]) -> Any:
    if not call.type.is_integer or not all(a.type.same_as(call.type) for a in call.args):
        return None
    return max(values) if call.function == "GREATEST" else min(values)


_FOLD: dict[str, Callable[[Call, Sequence[Any]], Any]] = {
    **dict.fromkeys(["+", "-", "*", "/", "MOD"], _arithmetic),
    "UPPER": _in_case(str.upper),
    "LOWER": _in_case(str.lower),
    "CHAR_LENGTH": _text(len),
    "||": _concat,
    "ABS": _abs,
    "GREATEST": _extreme,
    "LEAST": _extreme,
}
