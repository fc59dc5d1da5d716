"""Operations on typed expressions: walk, renumber, take apart, put together.

SEARCH. A set of ranges of one operand (Calcite's Sarg) is kept as one call, because plans show it so:
`Call("SEARCH", (operand, bound, ...), BOOLEAN, options)`. Each option is a range, except for `NULL AS TRUE`
and `NULL AS FALSE`. Each range takes its bounds from the arguments after the operand, in turn:

    option                        bounds    the operand is
    =                             1         equal to the bound
    <  <=  >  >=                  1         less than the bound, and so on
    (..)  [..)  (..]  [..]        2         between the bounds: with `[` or `]` the bound is included

    SEARCH(a, 1, 5, 9) with the options = and (..]    ->    a = 1 OR (a > 5 AND a <= 9)

The ranges are ascending and do not touch. `expand_search` writes a SEARCH as comparisons; do that before an
expression is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from firesteel.functions.duckdb.compile.membership import gathered
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.types.sql import APPROXIMATE, BOOLEAN, DOUBLE, SqlType

NULL_AS_TRUE = "NULL AS TRUE"
NULL_AS_FALSE = "NULL AS FALSE"
NOT_NULL_BOOLEAN = BOOLEAN.with_nullable(False)

TRUE = Literal(True, NOT_NULL_BOOLEAN)
FALSE = Literal(False, NOT_NULL_BOOLEAN)
NULL_BOOLEAN = Literal(None, BOOLEAN)


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield an expression and all its parts, parents first, arguments from left to right."""
    pending = [expr]
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, Call):
            pending += reversed(part.args)


def input_refs(expr: Expr) -> list[int]:
    """Return the columns that an expression reads, in the order of their first use."""
    return list(dict.fromkeys(e.index for e in walk(expr) if isinstance(e, InputRef)))


@from_below
def rewrite(expr: Expr, rule: Callable[[Expr], Expr]) -> Expr:
    """Return an expression with a rule applied to every part, arguments first."""
    if isinstance(expr, Call):
        args = tuple([rewrite(arg, rule) if isinstance(arg, Call) else rule(arg) for arg in expr.args])
        expr = expr.with_args(args)
    return rule(expr)


def substitute(expr: Expr, exprs: Sequence[Expr]) -> Expr:
    """Return an expression with each column replaced by the expression that computes it.

    Args:
        expr: Expression over the columns.
        exprs: For each column the expression that computes it.
    """
    return rewrite(expr, lambda e: exprs[e.index] if isinstance(e, InputRef) else e)


def renumber(expr: Expr, position: dict[int, int]) -> Expr:
    """Return an expression with the references to columns renumbered.

    Args:
        expr: The expression.
        position: New position of each column that `expr` reads, by its old position.
    """

    def moved(e: Expr) -> Expr:
        if isinstance(e, InputRef) and position[e.index] != e.index:
            return replace(e, index=position[e.index])
        return e

    return rewrite(expr, moved)


def operands(expr: Expr, function: str) -> list[Expr]:
    """Return the operands of nested calls of one associative function: a, b and c for AND(a, AND(b, c))."""
    found: list[Expr] = []
    pending = [expr]
    while pending:
        part = pending.pop()
        if isinstance(part, Call) and part.function == function:
            pending += reversed(part.args)
        else:
            found.append(part)
    return found


def conjuncts(expr: Expr | None) -> list[Expr]:
    """Return the terms that a condition joins by AND, none for None and for TRUE."""
    if expr is None:
        return []
    return [e for e in operands(expr, "AND") if not is_true(e)]


def conjunction(exprs: Iterable[Expr]) -> Expr | None:
    """Return the AND of the expressions, None if there are none."""
    terms = list(exprs)
    if len(terms) < 2:
        return terms[0] if terms else None
    return logical_call("AND", terms)


def logical_call(function: str, terms: Sequence[Expr]) -> Expr:
    """Return the AND or OR of one or more terms."""
    if len(terms) == 1:
        return terms[0]
    return Call(function, tuple(terms), BOOLEAN.with_nullable(any(t.type.nullable for t in terms)))


def negation(expr: Expr) -> Expr:
    return Call("NOT", (expr,), expr.type)


def comparison(function: str, left: Expr, right: Expr) -> Call:
    nullable = left.type.nullable or right.type.nullable
    return Call(function, (left, right), BOOLEAN.with_nullable(nullable))


def is_null(expr: Expr) -> Call:
    return Call("IS NULL", (expr,), NOT_NULL_BOOLEAN)


def is_true(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value is True


def is_false(expr: Expr) -> bool:
    return isinstance(expr, Literal) and expr.value is False


def cast_to(expr: Expr, kind: SqlType) -> Expr:
    """Return the expression cast to a type, nullability included. No cast is added if the types are equal."""
    return expr if expr.type == kind else Call("CAST", (expr,), kind)


def identity(types: Iterable[SqlType]) -> tuple[Expr, ...]:
    """Return references to all columns of an input, in order."""
    return tuple(InputRef(i, kind) for i, kind in enumerate(types))


def is_identity(exprs: Sequence[Expr], width: int) -> bool:
    """Return whether expressions are all columns of an input of this width, in order."""
    return len(exprs) == width and all(isinstance(e, InputRef) and e.index == i for i, e in enumerate(exprs))


def only_omits(exprs: Sequence[Expr]) -> bool:
    """Return whether expressions are some columns of an input, in its order and without repetition."""
    columns = [e.index for e in exprs if isinstance(e, InputRef)]
    return len(columns) == len(exprs) and columns == sorted(set(columns))


def search_ranges(search: Call) -> Iterator[tuple[str, tuple[Expr, ...]]]:
    """Yield the option and the bounds of each range of a SEARCH."""
    bounds = iter(search.args[1:])
    for option in search.options:
        if option not in (NULL_AS_TRUE, NULL_AS_FALSE):
            count = 2 if ".." in option else 1
            yield option, tuple(next(bounds) for _ in range(count))


def expand_search(expr: Expr, lists: bool = False) -> Expr:
    """Return an expression with every SEARCH written as comparisons, AND and OR.

    Args:
        expr: The expression.
        lists: Whether 16 or more comparisons of an operand with literals are combined into one IN list
            (`gathered`). True for expressions that are evaluated, False for those that plans print.
    """

    def rule(e: Expr) -> Expr:
        if not isinstance(e, Call):
            return e
        if e.function == "SEARCH":
            return _expanded(e, lists)
        return gathered(e) if lists and e.function in ("AND", "OR") else e

    return rewrite(expr, rule)


def _expanded(search: Call, lists: bool) -> Expr:
    ref = search.args[0]
    ranges = list(search_ranges(search))
    apart = _excluded_points(ranges)
    if apart is not None:
        condition = logical_call("AND", [comparison("<>", ref, point) for point in apart])
    else:
        terms = [_range_condition(ref, option, bounds) for option, bounds in ranges]
        condition = logical_call("OR", terms) if lists else _nested_or(terms)
    if lists and isinstance(condition, Call) and condition.function in ("AND", "OR"):
        condition = _without_negative_zero(ref, ranges, apart, gathered(condition))
    if NULL_AS_TRUE in search.options:
        return logical_call("OR", [is_null(ref), condition])
    if NULL_AS_FALSE in search.options:
        return logical_call("AND", [Call("IS NOT NULL", (ref,), NOT_NULL_BOOLEAN), condition])
    return condition


def _without_negative_zero(
    ref: Expr,
    ranges: list[tuple[str, tuple[Expr, ...]]],
    apart: list[Expr] | None,
    condition: Expr,
) -> Expr:
    """Return the condition of an IN or NOT IN, changed so that -0.0 does not equal a 0 in the list.

    Flink looks up the operand in a HashSet, in which -0.0 differs from 0.0 (ScalarOperatorGens.generateIn).
    The comparisons in `condition` treat the two as equal. So a test of -0.0 is added:

        x IN (0, 1)       ->   condition AND NOT (x = 0 AND 1.0 / x < 0)
        x NOT IN (0, 1)   ->   condition OR (x = 0 AND 1.0 / x < 0)

    This is done if the operand is FLOAT or DOUBLE, and the list has two or more values with 0 among them. Any
    other condition is returned unchanged.

    Args:
        ref: The operand.
        ranges: Ranges of the SEARCH that `condition` expresses: option and bounds of each.
        apart: Values in the list of a NOT IN. None if `condition` is not a NOT IN.
        condition: The condition on `ref`.
    """
    only_points = all(option == "=" for option, _ in ranges)
    points = [bounds[0] for _, bounds in ranges] if only_points else apart or []
    zeros = [p for p in points if isinstance(p, Literal) and p.value == 0]
    if ref.type.root not in APPROXIMATE or not zeros or len(points) < 2:
        return condition
    number = DOUBLE.with_nullable(ref.type.nullable)
    below = comparison("<", Call("/", (Literal(1.0, DOUBLE.with_nullable(False)), ref), number), zeros[0])
    negative_zero = logical_call("AND", [comparison("=", ref, zeros[0]), below])
    if apart is not None:
        return logical_call("OR", [condition, negative_zero])
    return logical_call("AND", [condition, negation(negative_zero)])


def _excluded_points(ranges: list[tuple[str, tuple[Expr, ...]]]) -> list[Expr] | None:
    """Return the values that a NOT IN excludes. None if the ranges are not those of a NOT IN.

        < 3, (3..7), > 7   ->   [3, 7], as in NOT IN (3, 7)

    Args:
        ranges: Ranges of a SEARCH: option and bounds of each.
    """
    if len(ranges) < 2 or ranges[0][0] != "<" or ranges[-1][0] != ">":
        return None
    ends = [bound for _, bounds in ranges for bound in bounds]
    if any(option != "(..)" for option, _ in ranges[1:-1]) or ends[::2] != ends[1::2]:
        return None
    return ends[::2]


def _range_condition(ref: Expr, option: str, bounds: tuple[Expr, ...]) -> Expr:
    if len(bounds) == 1:
        return comparison(option, ref, bounds[0])
    low = ">=" if option.startswith("[") else ">"
    high = "<=" if option.endswith("]") else "<"
    return logical_call("AND", [comparison(low, ref, bounds[0]), comparison(high, ref, bounds[1])])


def _nested_or(terms: list[Expr]) -> Expr:
    """Return `OR(OR(a, b), c)`, nested as Calcite does."""
    result = terms[0]
    for term in terms[1:]:
        result = logical_call("OR", [result, term])
    return result
