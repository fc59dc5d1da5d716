"""Simplification of long sums: `v * 1 + v * 2 + ... + v * 5000` is `v * 12502500`.

DuckDB parses and binds every operand for every batch, so a short sum is faster. The result is the same: for
integers that wrap, the order of additions and multiplications does not matter. For DECIMAL, it does not
matter if no step can round or overflow.

An operand stays in the sum even if its factors add up to 0: if it is NULL or fails, so does the sum. A sum or
product of many columns becomes a balanced tree, since DuckDB is slow for deep trees.
"""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, localcontext

from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.types.decimals import digits
from firesteel.types.sql import INTEGER_BITS, SqlType, TypeRoot, decimal

LONG = 100
"""Minimum depth of expressions that are examined."""
_MOST = 38
"""Maximum digits of a DECIMAL."""
_EXACT = Context(prec=100, traps=[Inexact])


@from_below
def shortened(expr: Expr) -> Expr:
    """Return the expression with simplified long sums, or the expression itself if there are none."""
    if not isinstance(expr, Call) or expr.depth < LONG:
        return expr
    if expr.function in ("+", "-") and (expr.type.is_integer or expr.type.root is TypeRoot.DECIMAL):
        try:
            with localcontext(_EXACT):
                found = _sum(expr)
        except Inexact:
            return expr
        return _balanced(expr) if found is expr else found
    if expr.function == "*":
        return _balanced(expr)
    return expr.with_args(tuple(map(shortened, expr.args)))


def _sum(call: Call) -> Expr:
    factors, constant, count = _linear(call)
    if 4 * len(factors) > count:
        return call
    kind = call.type
    if not kind.is_integer and not _fits(factors, constant, kind):
        return call
    terms: list[Expr] = [_product(shortened(term), factor, kind) for term, factor in factors.items()]
    terms.append(_literal(constant, kind))
    found = terms[0]
    for term in terms[1:]:
        nullable = found.type.nullable or term.type.nullable
        found = Call("+", (found, term), kind.with_nullable(nullable), range=call.range)
    return found


def _balanced(call: Call) -> Expr:
    """Return a sum or product of integers of one type as a balanced tree; other calls unchanged."""
    terms, pending = list[Expr](), list[Expr]([call])
    while pending:
        expr = pending.pop()
        if expr.type.root is not call.type.root or not expr.type.is_integer:
            return call
        if isinstance(expr, Call) and expr.function == call.function != "-" and len(expr.args) == 2:
            pending += reversed(expr.args)
        else:
            terms.append(shortened(expr))
    while len(terms) > 1:
        pairs = [terms[i : i + 2] for i in range(0, len(terms), 2)]
        terms = [_of_two(call, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return call if call.function == "-" else terms[0]


def _of_two(call: Call, left: Expr, right: Expr) -> Call:
    kind = call.type.with_nullable(left.type.nullable or right.type.nullable)
    return Call(call.function, (left, right), kind, range=call.range)


def _linear(call: Call) -> tuple[dict[Expr, Decimal], Decimal, int]:
    """Return the factor of each operand of the sum, the constant, and the number of operands."""
    factors: dict[Expr, Decimal] = {}
    constant, count = Decimal(0), 0
    pending: list[tuple[Expr, Decimal]] = [(call, Decimal(1))]
    while pending:
        expr, factor = pending.pop()
        number = _number(expr)
        parts = _parts(expr, call.type)
        if parts:
            pending += [(part, _wrapped(factor * by, call.type)) for part, by in parts]
            continue
        count += 1
        if number is not None:
            constant = _wrapped(constant + factor * number, call.type)
        else:
            factors[expr] = _wrapped(factors.get(expr, Decimal(0)) + factor, call.type)
    return factors, constant, count


def _parts(expr: Expr, kind: SqlType) -> list[tuple[Expr, Decimal]]:
    """Return the expression as (operand, factor) pairs: a - b is [(b, -1), (a, 1)], 3 * a is [(a, 3)].

    [] if it is not a sum, a difference, a negation or a product with a literal, or if it may round.
    """
    if not isinstance(expr, Call) or not _is_exact(expr, kind):
        return []
    if len(expr.args) == 1:
        return [(expr.args[0], Decimal(-1))] if expr.function == "-" else []
    left, right = expr.args
    if expr.function in ("+", "-"):
        return [(right, Decimal(1 if expr.function == "+" else -1)), (left, Decimal(1))]
    for factor, other in ((left, right), (right, left)):
        number = _number(factor)
        if number is not None:
            return [(other, number)]
    return []


def _is_exact(call: Call, kind: SqlType) -> bool:
    """Return whether a call is an exact +, - or *: of integers, or of DECIMALs with all digits kept."""
    if call.function not in ("+", "-", "*") or call.type.root is not kind.root:
        return False
    if kind.is_integer:
        return all(arg.type.is_integer for arg in call.args)
    if not all(arg.type.is_integer or arg.type.root is TypeRoot.DECIMAL for arg in call.args):
        return False
    scales = [digits(arg.type)[1] for arg in call.args]
    return call.type.scale == (sum(scales) if call.function == "*" else max(scales))


def _number(expr: Expr) -> Decimal | None:
    value = expr.value if isinstance(expr, Literal) else None
    if not isinstance(value, (int, Decimal)) or isinstance(value, bool):
        return None
    return Decimal(value) if expr.type.is_integer or expr.type.root is TypeRoot.DECIMAL else None


def _wrapped(number: Decimal, kind: SqlType) -> Decimal:
    """Return an integer wrapped to the type; a DECIMAL unchanged."""
    if not kind.is_integer:
        return number
    limit = 1 << (INTEGER_BITS[kind.root] - 1)
    return Decimal((int(number) + limit) % (2 * limit) - limit)


def _fits(factors: dict[Expr, Decimal], constant: Decimal, kind: SqlType) -> bool:
    """Return whether a DECIMAL of 38 digits holds all partial sums and factors, in any order of additions."""
    most = abs(constant)
    for term, factor in factors.items():
        precision, scale = digits(term.type)
        most += abs(factor) * Decimal(10) ** (precision - scale)
    return most < Decimal(10) ** (_MOST - (kind.scale or 0) - 1)


def _product(term: Expr, factor: Decimal, kind: SqlType) -> Expr:
    if factor == 1:
        return term
    return Call("*", (term, _literal(factor, kind)), kind.with_nullable(term.type.nullable))


def _literal(number: Decimal, kind: SqlType) -> Literal:
    if kind.is_integer:
        return Literal(int(number), kind.with_nullable(False))
    shown = number.normalize()
    scale = max(0, -int(shown.as_tuple().exponent))
    precision = max(len(str(abs(int(shown)))) + scale, 1)
    return Literal(Decimal(f"{number:.{scale}f}"), decimal(precision, scale).with_nullable(False))
