"""Combination of comparisons of one operand with many literals into one IN.

`x = 1 OR x = 2 OR ...` and `x <> 1 AND x <> 2 AND ...` then cost one lookup for each row.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from decimal import Decimal

from firesteel.functions.duckdb.compile.logic import may_fail
from firesteel.functions.expression.casting import rounded_literal
from firesteel.functions.expression.nodes import Call, Expr, Literal, Value
from firesteel.types.decimals import EXACT
from firesteel.types.sql import APPROXIMATE, INTEGER_BITS, SqlType, TypeRoot

_LONG = 16
"""Minimum number of values that are combined into one IN."""
_COMPARED_BY = {"OR": "=", "AND": "<>"}


def gathered(call: Call) -> Expr:
    """Return an AND or OR with its comparisons combined, or the call itself if there are too few.

    The combined comparisons are evaluated where the first of them was. A comparison is not combined with an
    earlier one if an operand between them may fail: Flink evaluates that operand before the comparison.
    """
    terms_left = _without_nulls(call)
    if len(terms_left) == 1:
        return terms_left[0]
    call = call if len(terms_left) == len(call.args) else replace(call, args=terms_left)
    if len(call.args) < _LONG:
        return call
    kept: list[Expr | tuple[Expr, list[Call]]] = []
    open_groups: dict[Expr, list[Call]] = {}
    for term in call.args:
        if not isinstance(term, Call) or not _is_listed(term, _COMPARED_BY[call.function]):
            kept.append(term)
            if may_fail(term):
                open_groups = {}
            continue
        operand = term.args[0]
        if operand not in open_groups:
            if may_fail(operand):
                open_groups = {}
            open_groups[operand] = []
            kept.append((operand, open_groups[operand]))
        open_groups[operand].append(term)
    terms: list[Expr] = []
    for each in kept:
        terms += _listed(call.function, *each) if isinstance(each, tuple) else [each]
    if len(terms) == len(call.args):
        return call
    return terms[0] if len(terms) == 1 else replace(call, args=tuple(terms))


def _without_nulls(call: Call) -> tuple[Expr, ...]:
    """Return the terms of an AND or OR without comparisons with a literal that rounding turns into NULL.

    An example is 9.995 as DECIMAL(3, 2): rounded to 10.00, it has too many digits. If an operand is compared
    with several literals, Flink makes a set of them and leaves NULL out. If it is compared with only one
    literal, the term stays, and its result is NULL.
    """
    operator = _COMPARED_BY[call.function]
    listed = [t for t in call.args if isinstance(t, Call) and _is_listed(t, operator)]
    nulls = [t for t in listed if isinstance(t.args[1], Literal) and rounded_literal(t.args[1]).value is None]
    if not nulls:
        return call.args
    operands = Counter(t.args[0] for t in listed)
    left_out = [t for t in nulls if operands[t.args[0]] > 1]
    kept = tuple(t for t in call.args if not any(t is each for each in left_out))
    return kept or call.args


def _is_listed(term: Call, operator: str) -> bool:
    if term.function != operator or isinstance(term.args[0], Literal):
        return False
    literal = term.args[1]
    if not isinstance(literal, Literal) or literal.value is None:
        return False
    kind, other = term.args[0].type, literal.type
    if kind.is_integer or kind.root is TypeRoot.DECIMAL:
        return other.is_integer or other.root is TypeRoot.DECIMAL
    if kind.is_character:
        return other.is_character
    if kind.root in APPROXIMATE:
        return other.same_as(kind) and literal.value == literal.value
    return kind.is_datetime and other.same_as(kind)


def _listed(function: str, operand: Expr, terms: list[Call]) -> list[Expr]:
    if len(terms) < _LONG:
        return list(terms)
    values: dict[Value, Expr] = {}
    for term in terms:
        literal = term.args[1]
        assert isinstance(literal, Literal)
        value = _as_value(rounded_literal(literal).value, operand.type)
        if value is not None:
            values[value] = Literal(value, operand.type.with_nullable(False))
    if not values:  # The type holds none of the values: the result is FALSE for all operands but NULL.
        return list(terms)
    found = Call("IN", (operand, *values.values()), terms[0].type)
    return [found if function == "OR" else Call("NOT", (found,), found.type)]


def _as_value(value: Value, kind: SqlType) -> Value:
    """Return the literal as a value of the type, None if the type has no equal value."""
    if kind.is_integer:
        assert isinstance(value, (int, Decimal))
        limit = 1 << (INTEGER_BITS[kind.root] - 1)
        return int(value) if value == int(value) and -limit <= value < limit else None
    if kind.root is TypeRoot.DECIMAL:
        assert isinstance(value, (int, Decimal))
        exact = Decimal(value).quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=EXACT)
        return exact if exact == value and len(exact.as_tuple().digits) <= (kind.precision or 0) else None
    return float(value) if kind.root in APPROXIMATE and isinstance(value, (int, Decimal)) else value
