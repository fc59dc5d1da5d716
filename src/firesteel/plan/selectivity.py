"""Selectivity of conditions: the fraction of rows that pass, estimated without statistics.

There are two functions. `estimated` is for conditions over tables, projections, filters and joins (Flink:
SelectivityEstimator). `guessed` is for other conditions, and for those that `estimated` cannot estimate
(Calcite: RelMdUtil.guessSelectivity).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from math import prod

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.plan.expressions.operations import expand_search, operands, rewrite
from firesteel.plan.simplify.cnf import to_cnf

_EQUALS = 0.15
_COMPARISON = 0.5
_NULL = 0.1
_LIKE = 0.05
_OTHER = 0.25
_RANGES = (">", ">=", "<", "<=")


def guessed(condition: Expr) -> float:
    """Return the selectivity guessed from the form of the condition's terms."""
    return prod(_guess(term) for term in operands(condition, "AND"))


def _guess(term: Expr) -> float:
    known = {"=": _EQUALS, "<>": _COMPARISON, "IS NOT NULL": 1 - _NULL, **dict.fromkeys(_RANGES, _COMPARISON)}
    return known.get(term.function, _OTHER) if isinstance(term, Call) else _OTHER


def estimated(condition: Expr) -> float:
    """Return the selectivity of a condition over rows without statistics.

    If the form of the condition cannot be estimated, the result is that of `guessed`.
    """
    try:
        found = _estimate(condition)
    except _Unknown:
        return guessed(condition)
    return guessed(condition) if found is None else found


class _Unknown(Exception):
    """Error for a condition whose form cannot be estimated."""


def _estimate(expr: Expr) -> float | None:
    if isinstance(expr, InputRef):
        return _EQUALS
    if not isinstance(expr, Call):
        return None
    if expr.function == "SEARCH":
        return _search(expr)
    if expr.function == "AND":
        whole = to_cnf(_spelled_out(expr))
        terms = _combined(operands(whole, "AND"))
        return _all_ranges(whole) if len(terms) == 1 else prod(map(_part, terms))
    if expr.function == "OR":
        return _either(expr)
    if expr.function == "NOT":
        return 1 - _part(expr.args[0])
    return _single(expr)


def _part(expr: Expr) -> float:
    found = _estimate(expr)
    return 1.0 if found is None else found


def _single(expr: Call) -> float:
    if expr.function in ("IS NULL", "IS NOT NULL") and not isinstance(expr.args[0], InputRef):
        raise _Unknown
    known = {
        "=": _EQUALS,
        "<>": 1 - _EQUALS,
        "IS NULL": _NULL,
        "IS NOT NULL": 1 - _NULL,
        "LIKE": _LIKE,
        **dict.fromkeys(_RANGES, _COMPARISON),
    }
    return known.get(expr.function, _OTHER)


def _search(expr: Call) -> float | None:
    if not _is_points(expr):
        return _estimate(expand_search(expr))
    if not isinstance(expr.args[0], InputRef):
        raise _Unknown
    return min(1.0, _EQUALS * (len(expr.args) - 1))


def _is_points(search: Call) -> bool:
    return all(option in ("=", "NULL AS TRUE", "NULL AS FALSE") for option in search.options)


def _spelled_out(expr: Expr) -> Expr:
    """Return an expression with every SEARCH of ranges as comparisons. A SEARCH of single values stays."""

    def rule(part: Expr) -> Expr:
        is_ranges = isinstance(part, Call) and part.function == "SEARCH" and not _is_points(part)
        return expand_search(part) if is_ranges else part

    return rewrite(expr, rule)


def _combined(terms: Sequence[Expr]) -> list[Expr]:
    """Return the terms that are calls, with range comparisons of one column joined into one AND."""
    ranges: dict[int, list[Expr]] = {}
    others: list[Expr] = []
    for term in terms:
        column = _compared(term, _RANGES)
        if column is not None:
            ranges.setdefault(column, []).append(term)
        elif isinstance(term, Call):
            others.append(term)
    groups = (ranges[column] for column in _hashed(ranges))
    together = [t[0] if len(t) == 1 else Call("AND", tuple(t), t[0].type) for t in groups]
    return [*together, *others]


def _hashed(columns: Collection[int]) -> list[int]:
    """Return columns in the order of a Java HashMap with keys such as `$3`. The order affects rounding."""
    width = 16
    while len(columns) > width * 3 // 4:
        width *= 2
    return sorted(columns, key=lambda column: _bucket(f"${column}", width))


def _bucket(text: str, width: int) -> int:
    """Return the bucket of a text in a Java HashMap with `width` buckets (String.hashCode, HashMap.hash)."""
    found = reduce(lambda code, char: (code * 31 + ord(char)) % 2**32, text, 0)
    return (found ^ found >> 16) % width


def _compared(term: Expr, functions: Sequence[str]) -> int | None:
    """Return the column that a term compares with a literal by one of the functions, None for other terms."""
    if not isinstance(term, Call) or term.function not in functions:
        return None
    columns = [a.index for a in term.args if isinstance(a, InputRef)]
    return columns[0] if len(columns) == 1 and any(isinstance(a, Literal) for a in term.args) else None


def _all_ranges(expr: Expr) -> float:
    """Return the selectivity of comparisons of one column with literals by <, <=, > or >=, joined by AND.

    Raises:
        _Unknown: A term has another form. Flink's estimator fails there, too. The caller then uses `guessed`.
    """
    terms = operands(expr, "AND")
    if any(_compared(term, _RANGES) is None for term in terms):
        raise _Unknown
    return _COMPARISON ** len(terms)


def _either(expr: Call) -> float:
    """Return the selectivity of an OR.

    Comparisons of one column with literals exclude each other, other terms do not.
    """
    terms = operands(expr, "OR")
    alternatives: dict[int, list[Expr]] = {}
    others: list[Expr] = []
    for term in terms:
        column = _compared(term, (*_RANGES, "="))
        if column is not None:
            alternatives.setdefault(column, []).append(term)
        elif isinstance(term, Call):
            others.append(term)
    parts = [part for column in _hashed(alternatives) for part in _of_column(alternatives[column])]
    parts += [_part(term) for term in others]
    return _any_of(terms) if len(parts) == 1 else min(1.0, sum(parts) - prod(parts))


def _of_column(terms: Sequence[Expr]) -> list[float]:
    """Return one or two selectivities for the comparisons of one column with literals in an OR.

        c = 1 OR c = 2 OR c > 9   ->   [selectivity of c IN (1, 2), selectivity of c > 9]

    With fewer than two equalities, the list has one selectivity, of all comparisons together.
    """
    equal = [term for term in terms if isinstance(term, Call) and term.function == "="]
    if len(equal) < 2:
        return [_any_of(terms)]
    ranges = [term for term in terms if term not in equal]
    found = [min(1.0, _EQUALS * len(set(equal)))]
    return [*found, _any_of(ranges)] if ranges else found


def _any_of(terms: Sequence[Expr]) -> float:
    return min(1.0, sum(map(_part, terms)))
