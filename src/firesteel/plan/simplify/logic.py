"""Simplification of AND, OR and NOT (Calcite: RexSimplify.simplifyAnd, simplifyOr, simplifyNot)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import (
    FALSE,
    NULL_BOOLEAN,
    TRUE,
    is_false,
    is_null,
    is_true,
    logical_call,
    negation,
    operands,
    walk,
)
from firesteel.plan.simplify.range_set import ALL
from firesteel.plan.simplify.sarg import (
    COMPARISONS,
    NEGATED,
    REVERSED,
    SargCollector,
    compared_literal,
    compared_value,
    of_search,
    residue,
    to_search,
)
from firesteel.plan.simplify.simplifier import STRICT, Simplifier

NEGATED_TESTS = {
    "IS NULL": "IS NOT NULL",
    "IS NOT NULL": "IS NULL",
    "IS TRUE": "IS NOT TRUE",
    "IS NOT TRUE": "IS TRUE",
    "IS FALSE": "IS NOT FALSE",
    "IS NOT FALSE": "IS FALSE",
}


def compose(function: str, terms: Iterable[Expr]) -> Expr:
    """Return the AND or OR of terms: flattened, without duplicates and without neutral terms."""
    neutral, absorbing = (is_true, is_false) if function == "AND" else (is_false, is_true)
    flat: dict[Expr, None] = {}
    for term in terms:
        for operand in operands(term, function):
            if absorbing(operand):
                return FALSE if function == "AND" else TRUE
            if not neutral(operand):
                flat.setdefault(operand)
    if not flat:
        return TRUE if function == "AND" else FALSE
    return logical_call(function, list(flat))


def simplify_and(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    terms = [t for t in operands(call, "AND") if not is_true(t)]
    if unknown_as == "false":
        terms = _each_knowing_the_others(terms, simplifier)
    else:
        terms = [simplifier(t, unknown_as) for t in terms]
    collector = SargCollector(negate=True)
    for term in terms:
        collector.accept(term)
    positive, negative = _decomposed(collector.fixed(unknown_as) or terms)
    if unknown_as == "false":
        return _and_where_unknown_is_false(positive, negative, simplifier)
    return _and(positive, negative, simplifier)


def _each_knowing_the_others(terms: list[Expr], simplifier: Simplifier) -> list[Expr]:
    """Return the terms of an AND, each simplified for rows that satisfy other terms.

    For a comparison with a literal, these are the comparisons before it. For any other term, they are all
    comparisons.
    """
    done = list(terms)
    simplifier = simplifier.copy()
    for i, term in enumerate(terms):
        if compared_value(term) is not None:
            done[i] = simplifier(term, "false")
            simplifier.learn(done[i])
    for i, term in enumerate(terms):
        if compared_value(term) is None:
            done[i] = simplifier(term, "false")
    return _without_bounds_of_equals(done)


def _without_bounds_of_equals(terms: list[Expr]) -> list[Expr]:
    """Return the terms without bounds that an equality of the same operand implies."""
    found = {i: comparison for i, t in enumerate(terms) if (comparison := compared_value(t)) is not None}
    equal = {ref: value.value for function, ref, value in found.values() if function == "="}
    return [
        term
        for i, term in enumerate(terms)
        if i not in found
        or found[i][0] == "="
        or found[i][1] not in equal
        or residue(found[i][0], found[i][2].value, [("=", equal[found[i][1]])]) != (ALL,)
    ]


def _decomposed(terms: Sequence[Expr]) -> tuple[list[Expr], list[Expr]]:
    """Return the terms of a conjunction without NOT, and the operands of those with NOT.

        a AND NOT (b OR NOT c)   ->   [a, c] and [b]

    Args:
        terms: The terms, each of which may be an AND of more terms.
    """
    positive: list[Expr] = []
    negative: list[Expr] = []
    for term in (t for e in terms for t in operands(e, "AND")):
        if isinstance(term, Call) and term.function == "NOT":
            for operand in operands(term.args[0], "OR"):
                inner = isinstance(operand, Call) and operand.function == "NOT"
                (positive if inner else negative).append(
                    operand.args[0] if inner and isinstance(operand, Call) else operand
                )
        elif not is_true(term):
            positive.append(term)
    return positive, negative


def _and(positive: list[Expr], negative: list[Expr], simplifier: Simplifier) -> Expr:
    if any(map(is_false, positive)):
        return FALSE
    held = set(positive)
    clashing = [t for t in negative if all(part in held for part in operands(t, "AND"))]
    if any(not t.type.nullable for t in clashing):
        return FALSE
    positive = [t for t in positive if t not in clashing]
    if clashing:
        positive += [NULL_BOOLEAN, *(simplifier(is_null(t), "unknown") for t in clashing)]
    rest = [simplifier(negation(t), "unknown") for t in negative if t not in clashing]
    return compose("AND", [*positive, *rest])


def _and_where_unknown_is_false(positive: list[Expr], negative: list[Expr], simplifier: Simplifier) -> Expr:
    if any(is_false(t) or (isinstance(t, Literal) and t.value is None) for t in positive):
        return FALSE
    if len(positive) == 1 and not negative:
        return simplifier(positive[0], "false")
    if _contradicts(positive, negative):
        return FALSE
    not_null = [t.args[0] for t in positive if isinstance(t, Call) and t.function == "IS NOT NULL"]
    null = [t.args[0] for t in positive if isinstance(t, Call) and t.function == "IS NULL"]
    kept = [t for t in positive if not (isinstance(t, Call) and t.function == "IS NOT NULL")]
    kept = _without_implied(kept)
    kept += [negation(t) for t in negative]
    asked = {e for e in (*null, *not_null) if isinstance(e, InputRef)}
    strong = (
        {ref for t in kept for ref in asked & set(walk(t)) if never_true(t, frozenset({ref.index}))}
        if asked
        else set()
    )
    if any(ref in strong for ref in null):
        return FALSE
    kept += [Call("IS NOT NULL", (ref,), TRUE.type) for ref in dict.fromkeys(not_null) if ref not in strong]
    return compose("AND", kept)


def _contradicts(positive: list[Expr], negative: list[Expr]) -> bool:
    """Return whether no row can satisfy all terms of a conjunction.

    So it is if a term and its negation are among them, or if a column must equal two different literals.

    Args:
        positive: Terms without NOT.
        negative: Operands of the terms with NOT.
    """
    held = set(positive)
    if any(all(part in held for part in operands(t, "AND")) for t in negative):
        return True
    equal: dict[Expr, object] = {}
    functions = {t.function for t in positive if isinstance(t, Call)}
    for term in positive:
        if not isinstance(term, Call) or term.function not in COMPARISONS:
            continue
        # Search the negation, `a <= 1` for `a > 1`. The set `held` finds it also if it is written `1 >= a`,
        # because a Call equals its mirrored form.
        opposite = NEGATED[term.function]
        if not functions.isdisjoint((opposite, REVERSED[opposite])) and (
            Call(opposite, term.args, term.type) in held
        ):
            return True
        found = compared_literal(term)
        if (
            found is not None
            and found[0] == "="
            and equal.setdefault(found[1], found[2].value) != found[2].value
        ):
            return True
    return False


def _without_implied(terms: list[Expr]) -> list[Expr]:
    """Return the terms with only the strictest of several lower or upper bounds of a column."""
    bounds = [(i, found) for i, t in enumerate(terms) if (found := _bound(t)) is not None]
    dropped: set[int] = set()
    for i, one in bounds:
        for j, other in bounds:
            if i == j or j in dropped or other[1] != one[1] or other[0][0] != one[0][0]:
                continue
            if _is_weaker(one, other) and (not _is_weaker(other, one) or j < i):
                dropped.add(i)
    return [t for i, t in enumerate(terms) if i not in dropped]


def _bound(term: Expr) -> tuple[str, Expr, Literal] | None:
    """Return comparison, column and literal of a term that bounds a column on one side, else None."""
    found = compared_literal(term)
    return found if found is not None and found[0] in ("<", "<=", ">", ">=") else None


def _is_weaker(one: tuple[str, Expr, Literal], other: tuple[str, Expr, Literal]) -> bool:
    """Return whether every value that passes `other` passes `one` too."""
    a, b = one[2].value, other[2].value
    if a == b:
        return one[0].endswith("=") or not other[0].endswith("=")
    less: bool = a < b  # type: ignore[operator]
    return less if one[0].startswith(">") else not less


_NULL_WITH_ARGUMENTS = STRICT | {"CAST", "ITEM"}


@from_below
def never_true(term: Expr, columns: frozenset[int]) -> bool:
    """Return whether a condition cannot be TRUE if all these columns are NULL (Calcite: Strong.isNotTrue).

    A SEARCH counts as a condition that can be TRUE: Calcite has no rule for it, so an outer join below stays
    outer.
    """
    if isinstance(term, Call):
        if term.function == "AND":
            return any(never_true(t, columns) for t in term.args)
        if term.function == "OR":
            return all(never_true(t, columns) for t in term.args)
        if term.function in ("IS NOT NULL", "IS TRUE", "IS FALSE"):
            return is_null_with(term.args[0], columns)
    return is_null_with(term, columns)


@from_below
def is_null_with(expr: Expr, columns: frozenset[int]) -> bool:
    """Return whether an expression is NULL if all these columns are NULL."""
    if isinstance(expr, InputRef):
        return expr.index in columns
    if isinstance(expr, Call) and expr.function in _NULL_WITH_ARGUMENTS:
        return any(is_null_with(arg, columns) for arg in expr.args)
    if isinstance(expr, Call) and expr.function in ("AND", "OR"):
        return all(is_null_with(arg, columns) for arg in expr.args)
    return False


def simplify_or(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    found = operands(call, "OR")
    if simplifier.nulls_first:
        found.sort(key=lambda t: not (isinstance(t, Call) and t.function == "IS NULL"))
    terms = [simplifier(t, unknown_as) for t in found]
    collector = SargCollector(negate=False)
    for term in terms:
        collector.accept(term)
    kept: list[Expr] = []
    for term in collector.fixed(unknown_as) or terms:
        if isinstance(term, Literal) and term.value is None and unknown_as != "unknown":
            if unknown_as == "true":
                return TRUE
            continue
        kept.append(term)
    held, given = set(kept), set(terms)
    for term in kept:
        opposite = term.args[0] if isinstance(term, Call) and term.function == "NOT" else None
        if opposite is not None and opposite in held and not opposite.type.nullable:
            return TRUE
        if isinstance(term, Call) and term.function == "IS NOT TRUE" and term.args[0] in given:
            return TRUE
    return compose("OR", kept)


def simplify_not(call: Call, simplifier: Simplifier, unknown_as: str) -> Expr:
    inner = call.args[0]
    if isinstance(inner, Literal):
        return call if inner.value is None else (FALSE if inner.value else TRUE)
    opposite = {"true": "false", "false": "true"}.get(unknown_as, unknown_as)
    if isinstance(inner, Call):
        rewritten = _pushed_into(inner, simplifier, unknown_as)
        if rewritten is not None:
            return simplifier(rewritten, unknown_as)
    simplified = simplifier(inner, opposite)
    return call if simplified == inner else negation(simplified)


def _pushed_into(inner: Call, simplifier: Simplifier, unknown_as: str) -> Expr | None:
    """Return NOT of a call as an expression without this NOT: `a <= 1` for NOT (a > 1).

    None if there is no such form.

    Args:
        inner: The operand of NOT.
        simplifier: Simplifies the negated operands of AND and OR.
        unknown_as: Value that may replace an UNKNOWN result.
    """
    if inner.function == "NOT":
        return inner.args[0]
    if inner.function == "SEARCH":
        return to_search(inner.args[0], of_search(inner).negate(), inner.args[1].type)
    if inner.function in ("AND", "OR"):
        terms = [simplifier(negation(arg), unknown_as) for arg in inner.args]
        return logical_call("OR" if inner.function == "AND" else "AND", terms)
    negated = NEGATED.get(inner.function) or NEGATED_TESTS.get(inner.function)
    return None if negated is None else Call(negated, inner.args, inner.type)
