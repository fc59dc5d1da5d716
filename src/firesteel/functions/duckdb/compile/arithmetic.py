"""Compilation of arithmetic with Java's and Flink's results.

Integers wrap in their own type: the exact result is computed in a wider type and wrapped, unless the
operands' ranges exclude an overflow. Division truncates. DECIMAL results are exact, then rounded HALF_UP to
the result type. Python computes what DuckDB's 38 digits cannot hold.
"""

from __future__ import annotations

from decimal import Decimal

from firesteel.functions.duckdb.compile.text import Compiler, Emit, cast_text
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.expression.recursion import remembered
from firesteel.types.decimals import digits
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import APPROXIMATE, BIGINT, INTEGER_BITS, SqlType, TypeRoot, decimal

_WRAP = {root: f"wrap_{to_duckdb(SqlType(root)).lower()}" for root in INTEGER_BITS}


@remembered
def bounds(expr: Expr) -> tuple[int, int]:
    """Return the least and the greatest value that an integer expression can have."""
    kind = expr.type
    limit = 1 << (INTEGER_BITS[kind.root] - 1)
    if isinstance(expr, Literal) and isinstance(expr.value, int):
        return expr.value, expr.value
    if isinstance(expr, Call) and all(a.type.is_integer for a in expr.args):
        found = _call_bounds(expr)
        if found is not None and -limit <= found[0] and found[1] < limit:
            return found
    return -limit, limit - 1


def _call_bounds(call: Call) -> tuple[int, int] | None:
    ranges = [bounds(a) for a in call.args]
    if call.function == "MOD":
        most = max(abs(ranges[1][0]), abs(ranges[1][1]), 1) - 1
        return -most, most
    if len(ranges) != 2 or call.function not in "+-*":
        return None
    (a, b), (c, d) = ranges
    if call.function == "+":
        return a + c, b + d
    if call.function == "-":
        return a - d, b - c
    products = (a * c, a * d, b * c, b * d)
    return min(products), max(products)


def wrapped(text: str, kind: SqlType) -> str:
    """Return the SQL of an exact integer result narrowed to `kind` like Java."""
    return f"{_WRAP[kind.root]}({text})"


def _wide(text: str, kind: SqlType) -> str:
    return f"{text}::{'HUGEINT' if kind.root is TypeRoot.BIGINT else 'BIGINT'}"


def _binary(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    if call.type.is_interval or not call.type.is_numeric:
        return compiler.temporal(call)
    if call.type.is_integer:
        return _integer(compiler, call)
    if call.type.root in APPROXIMATE:
        a, b = (compiler.cast(compiler(e), e.type, call.type) for e in (left, right))
        return f"({a} {call.function} {b})"
    return _decimal(compiler, call)


def _integer(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    kind = call.type
    found = _call_bounds(call)
    limit = 1 << (INTEGER_BITS[kind.root] - 1)
    if found is not None and -limit <= found[0] and found[1] < limit:
        a, b = (cast_text(compiler(e), e.type, kind) for e in (left, right))
        return f"({a} {call.function} {b})"
    return wrapped(_sum(compiler, call), kind)


def _sum(compiler: Compiler, call: Call) -> str:
    """Return the exact SQL of nested sums and differences in one type.

    Exact means that no sum is wrapped to its type. The caller wraps the final result, which gives the same
    value as wrapping each partial sum.
    """
    texts: list[str] = []
    left: Expr = call
    while _continues(left, call):
        assert isinstance(left, Call)
        texts.append(f"{left.function} {compiler(left.args[1])}")
        left = left.args[0]
    return " ".join([_wide(compiler(left), call.type), *reversed(texts)])


def _continues(expr: Expr, whole: Call) -> bool:
    """Return whether `expr`, the left operand of a sum in `whole`, need not be wrapped to its type.

    True if `expr` is `whole`, or if both are sums or differences of one type. For example, in (a + b) - c,
    only the final result is wrapped, not a + b.
    """
    if expr is whole:
        return True
    summing = whole.function in ("+", "-") and isinstance(expr, Call) and expr.function in ("+", "-")
    return summing and len(getattr(expr, "args", ())) == 2 and expr.type.root is whole.type.root


def _divide(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    kind = call.type
    if kind.is_interval:
        return compiler.temporal(call)
    a, b = compiler(left), compiler(right)
    if kind.is_integer:
        if isinstance(right, Literal) and right.value not in (0, -1, None):
            return f"({cast_text(a, left.type, kind)} // {cast_text(b, right.type, kind)})"
        return wrapped(f"{_wide(a, kind)} // divisor({a}, {b})", kind)
    if kind.root in APPROXIMATE:
        return f"({compiler.cast(a, left.type, kind)} / {compiler.cast(b, right.type, kind)})"
    return _quotient(compiler, call)


def _quotient(compiler: Compiler, call: Call) -> str:
    """Return the SQL of a DECIMAL quotient.

    DuckDB divides if the operands, multiplied by powers of ten to get integers, fit into HUGEINTs, and if the
    result has at most 38 digits. Otherwise, Python divides.
    """
    (a, left), (b, right) = operands = _exact(compiler, call)
    (p1, s1), (p2, s2), (precision, scale) = digits(left), digits(right), digits(call.type)
    shift = scale + s2
    if p1 + shift + 1 > 37 or p2 + s2 + 1 > 37 or precision + scale > 38 or shift < s1:
        return compiler.python("decimals.divide", operands, call.type)
    dividend = (
        f"({a}::DECIMAL(19,{s1}) * {_power(shift)})::HUGEINT"
        if p1 < 19
        else f"({a} * {_power(shift)})::HUGEINT"
    )
    divisor = (
        f"({b}::DECIMAL(19,{s2}) * {_power(s2)})::HUGEINT" if p2 < 19 else f"({b} * {_power(s2)})::HUGEINT"
    )
    unit = f"'{Decimal(1).scaleb(-scale):f}'::DECIMAL({scale},{scale})"
    whole = f"TRY_CAST(decimal_quotient({dividend}, {divisor}) AS DECIMAL({precision},0))"
    return f"TRY_CAST({whole} * {unit} AS {to_duckdb(call.type)})"


def _power(exponent: int) -> str:
    return f"'{10**exponent}'::DECIMAL({exponent + 1},0)"


def _modulus(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    a, b = compiler(left), compiler(right)
    if call.type.is_integer:
        dividend = left.type
        if dividend.root is TypeRoot.DECIMAL:  # Flink casts the dividend to a long (ScalarOperatorGens).
            a, dividend = compiler.cast(a, dividend, BIGINT), BIGINT
        plain = isinstance(right, Literal) and right.value not in (0, -1, None)
        checked = b if plain else f"modulus_divisor({a}, {b})"
        return cast_text(f"({a} % {checked})", _wider(dividend, right.type), call.type)
    return compiler.python("decimals.modulus", _exact(compiler, call), call.type)


def _wider(left: SqlType, right: SqlType) -> SqlType:
    return max(left, right, key=lambda t: INTEGER_BITS[t.root])


def _exact(compiler: Compiler, call: Call) -> list[tuple[str, SqlType]]:
    """Return (SQL, type) of each operand of a call, cast to DECIMAL."""
    found = []
    for operand in call.args:
        kind = decimal(*digits(operand.type)).with_nullable(operand.type.nullable)
        found.append((cast_text(compiler(operand), operand.type, kind), kind))
    return found


_NAMES = {"+": "decimals.add", "-": "decimals.subtract", "*": "decimals.multiply"}


def _decimal(compiler: Compiler, call: Call) -> str:
    (a, left), (b, right) = operands = _exact(compiler, call)
    (p1, s1), (p2, s2) = digits(left), digits(right)
    if call.function == "*":
        if max(p1, p2) <= 18 < p1 + p2:  # DuckDB's product of two such types fails above 18 digits.
            a = f"{a}::DECIMAL(19,{s1})"
        fits, exact = p1 + p2 <= 38, f"({a} * {b})"
    else:
        scale = max(s1, s2)
        width = max(p1 - s1, p2 - s2) + scale + 1
        fits = width <= 38
        common = f"DECIMAL({width},{scale})"
        exact = f"({a}::{common} {call.function} {b}::{common})"
    if not fits:
        return compiler.python(_NAMES[call.function], operands, call.type)
    return f"TRY_CAST({exact} AS {to_duckdb(call.type)})"


def _negate(compiler: Compiler, call: Call) -> str:
    (operand,) = call.args
    text = compiler(operand)
    if call.type.is_integer or call.type.is_interval:
        kind = call.type if call.type.is_integer else BIGINT
        if call.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
            return f"wrap_integer(-({text}::BIGINT))"
        return wrapped(f"-({_wide(text, kind)})", kind)
    return f"(-{text})"


def _plus_minus(compiler: Compiler, call: Call) -> str:
    return _negate(compiler, call) if len(call.args) == 1 else _binary(compiler, call)


def _absolute(compiler: Compiler, call: Call) -> str:
    (operand,) = call.args
    text = compiler(operand)
    if call.type.is_integer:
        return wrapped(f"abs({_wide(text, call.type)})", call.type)
    return f"abs({text})"


EMIT: dict[str, Emit] = {
    "+": _binary,
    "-": _plus_minus,
    "*": _binary,
    "/": _divide,
    "MOD": _modulus,
    "ABS": _absolute,
}
