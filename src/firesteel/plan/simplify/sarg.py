"""Comparisons of one operand with literals, collected into one set of ranges (Calcite: Sarg, SargCollector).

A Sarg holds the values for which a condition is TRUE, and its result for NULL: `true`, `false` or `unknown`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from firesteel.functions.duckdb.constant_calls import varies
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal, Plain, Value
from firesteel.plan.expressions.operations import (
    FALSE,
    NULL_AS_FALSE,
    NULL_AS_TRUE,
    NULL_BOOLEAN,
    TRUE,
    comparison,
    is_null,
    search_ranges,
    walk,
)
from firesteel.plan.expressions.operations import logical_call as call_of
from firesteel.plan.simplify.range_set import (
    ALL,
    Range,
    complement,
    encloses,
    intersection,
    of_comparison,
    union,
)
from firesteel.types.coerce import common_type
from firesteel.types.sql import BOOLEAN, SqlType

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
REVERSED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_NOT = {"true": "false", "false": "true", "unknown": "unknown"}
_RANK = {"true": 2, "unknown": 1, "false": 0}


@dataclass(frozen=True)
class Sarg:
    """Set of values for which a condition is TRUE, and the result for NULL."""

    ranges: tuple[Range, ...]
    null_as: str = "unknown"

    @property
    def is_points(self) -> bool:
        return all(r.is_point for r in self.ranges)

    @property
    def is_complemented_points(self) -> bool:
        return self.ranges != (ALL,) and all(r.is_point for r in complement(self.ranges))

    @property
    def complexity(self) -> int:
        """Number of comparisons that express the set. `x <> 1` counts as one."""
        simple = len(self.ranges) == 2 and len(complement(self.ranges)) == 1 and self.is_complemented_points
        count = 1 if simple else len(self.ranges)
        return count + (self.null_as == "true")

    @property
    def is_simple(self) -> bool:
        """Whether comparisons express the set as briefly as a SEARCH.

        They do for single values, for all but single values, and for one range with a single bound.
        """
        one_sided = len(self.ranges) == 1 and self.ranges[0].is_open
        return self.is_points or one_sided or self.is_complemented_points

    def negate(self) -> Sarg:
        return Sarg(complement(self.ranges), _NOT[self.null_as])


def compared_literal(expr: Expr) -> tuple[str, Expr, Literal] | None:
    """Return operator, operand and literal of a comparison of a column or a cast with a literal, else None.

    The literal is on the right: `5 > x` is returned as `x < 5`.
    """
    found = compared_value(expr)
    return found if found is not None and _is_reference(found[1]) else None


def compared_value(expr: Expr) -> tuple[str, Expr, Literal] | None:
    """Return operator, operand and literal of a comparison with a literal, else None.

    Unlike in `compared_literal`, the operand is any deterministic expression.
    """
    if not isinstance(expr, Call) or expr.function not in COMPARISONS:
        return None
    left, right = expr.args
    if any(isinstance(a, Literal) and isinstance(a.value, str) and a.type.is_datetime for a in expr.args):
        return None  # a time finer than Python's is kept as text, which sorts differently
    if isinstance(right, Literal) and _has_one_value(left):
        return expr.function, left, as_double(right)
    if isinstance(left, Literal) and _has_one_value(right):
        return REVERSED[expr.function], right, as_double(left)
    return None


def as_double(literal: Literal) -> Literal:
    """Return a DOUBLE literal that was written as an exact number (2.5) with a float as value.

    Any other literal is returned unchanged.
    """
    return replace(literal, value=float(literal.value)) if isinstance(literal.value, Plain) else literal


def _has_one_value(expr: Expr) -> bool:
    if not isinstance(expr, Call):
        return isinstance(expr, InputRef)
    return not any(isinstance(part, Call) and varies(part) for part in walk(expr))


def _is_reference(expr: Expr) -> bool:
    return isinstance(expr, InputRef) or (isinstance(expr, Call) and expr.function in ("CAST", "ITEM_FIELD"))


def of_search(search: Call) -> Sarg:
    """Return the Sarg of a SEARCH call."""
    ranges: list[Range] = []
    for option, bounds in search_ranges(search):
        values = [b.value for b in bounds if isinstance(b, Literal)]
        if len(values) == 2:
            ranges.append(Range(values[0], values[1], option[0] == "[", option[-1] == "]"))
        else:
            ranges.extend(of_comparison(option, values[0]))
    null_as = "true" if NULL_AS_TRUE in search.options else "unknown"
    return Sarg(tuple(ranges), "false" if NULL_AS_FALSE in search.options else null_as)


def to_search(ref: Expr, sarg: Sarg, kind: SqlType) -> Expr:
    """Return the SEARCH call of a Sarg.

    Args:
        ref: The operand.
        sarg: The set of values.
        kind: Type of the bounds.
    """
    bounds: list[Expr] = []
    options: list[str] = []
    for r in sarg.ranges:
        options.append(_option(r))
        values = [r.low] if r.is_point else [v for v in (r.low, r.high) if v is not None]
        bounds += [literal(value, kind) for value in values]
    if sarg.null_as != "unknown":
        options.append(NULL_AS_TRUE if sarg.null_as == "true" else NULL_AS_FALSE)
    nullable = ref.type.nullable and sarg.null_as == "unknown"
    return Call("SEARCH", (ref, *bounds), BOOLEAN.with_nullable(nullable), tuple(options))


def _option(r: Range) -> str:
    if r.is_point:
        return "="
    if r.low is None:
        return "<=" if r.high_closed else "<"
    if r.high is None:
        return ">=" if r.low_closed else ">"
    return f"{'[' if r.low_closed else '('}..{']' if r.high_closed else ')'}"


def literal(value: Value, kind: SqlType) -> Literal:
    return Literal(value, kind.with_nullable(False))


def to_comparisons(ref: Expr, sarg: Sarg, kind: SqlType, unknown_as: str) -> Expr:
    """Return a Sarg as comparisons (Calcite: RexUtil.sargRef)."""
    if sarg.ranges in ((), (ALL,)):
        return everything_or_nothing(ref, sarg, unknown_as)
    terms: list[Expr] = []
    if sarg.null_as == "true" and unknown_as != "true":
        terms.append(is_null(ref))
    if sarg.is_complemented_points and not sarg.is_points:
        points = [literal(r.low, kind) for r in complement(sarg.ranges)]
        terms.append(call_of("AND", [comparison("<>", ref, p) for p in points]))
    else:
        terms += [_one_range(ref, r, kind) for r in sarg.ranges]
    found = call_of("OR", terms)
    if sarg.null_as == "false" and unknown_as != "false":
        found = call_of("AND", [Call("IS NOT NULL", (ref,), TRUE.type), found])
    return found


def _one_range(ref: Expr, r: Range, kind: SqlType) -> Expr:
    if r.is_point:
        return comparison("=", ref, literal(r.low, kind))
    terms: list[Expr] = []
    if r.low is not None:
        terms.append(comparison(">=" if r.low_closed else ">", ref, literal(r.low, kind)))
    if r.high is not None:
        terms.append(comparison("<=" if r.high_closed else "<", ref, literal(r.high, kind)))
    return call_of("AND", terms)


def everything_or_nothing(ref: Expr, sarg: Sarg, unknown_as: str) -> Expr:
    """Return the condition for a Sarg of all values or of none (Calcite: RexUtil.simpleSarg)."""
    null_as = unknown_as if sarg.null_as == "unknown" else sarg.null_as
    not_null = Call("IS NOT NULL", (ref,), TRUE.type)
    if sarg.ranges:
        if null_as == "unknown":
            return call_of("OR", [not_null, NULL_BOOLEAN])
        return TRUE if null_as == "true" else not_null
    if null_as == "unknown":
        return comparison("<>", ref, ref)
    return is_null(ref) if null_as == "true" else FALSE


@dataclass
class SargBuilder:
    """Ranges of one operand, collected from terms."""

    ref: Expr
    ranges: list[Range] = field(default_factory=list)
    types: list[SqlType] = field(default_factory=list)
    null_as: str = "false"
    has_sarg: bool = False
    merged_sarg: bool = False
    taken: int = 0

    @property
    def is_one_test(self) -> bool:
        """Whether only one comparison or NULL test was collected, which is best left as it is written."""
        return self.taken == 1 and not self.has_sarg

    def or_null(self, null_as: str) -> None:
        self.null_as = max(self.null_as, null_as, key=_RANK.__getitem__)

    def build(self, negate: bool) -> Sarg:
        sarg = Sarg(union(self.ranges), self.null_as)
        return sarg.negate() if negate else sarg

    @property
    def bound_type(self) -> SqlType:
        found = common_type(tuple(dict.fromkeys(t.with_nullable(False) for t in self.types)))
        return found if found is not None else self.ref.type


class SargCollector:
    """Collector of the terms of an OR, or of an AND with `negate` (by De Morgan's law)."""

    def __init__(self, negate: bool) -> None:
        self.negate = negate
        self.terms: list[Expr | SargBuilder] = []
        self._builders: dict[Expr, SargBuilder] = {}

    def accept(self, term: Expr) -> None:
        if not self._gather(term):
            self.terms.append(term)

    def _builder(self, ref: Expr) -> SargBuilder:
        if ref not in self._builders:
            self._builders[ref] = SargBuilder(ref)
            self.terms.append(self._builders[ref])
        builder = self._builders[ref]
        builder.taken += 1
        return builder

    def _gather(self, term: Expr) -> bool:
        if not isinstance(term, Call):
            return False
        if term.function in ("IS NULL", "IS NOT NULL"):
            builder = self._builder(term.args[0])
            if (term.function == "IS NULL") != self.negate:
                builder.or_null("true")
            else:
                builder.ranges.append(ALL)
            return True
        if term.function == "SEARCH":
            self._gather_search(term)
            return True
        found = compared_literal(term)
        if found is None or found[2].value is None:
            return False
        function, ref, value = found
        builder = self._builder(ref)
        builder.ranges.extend(of_comparison(NEGATED[function] if self.negate else function, value.value))
        builder.types.append(value.type)
        builder.merged_sarg |= builder.has_sarg
        builder.or_null("unknown")
        return True

    def _gather_search(self, term: Call) -> None:
        builder = self._builder(term.args[0])
        sarg = of_search(term)
        if self.negate:
            sarg = sarg.negate()
        builder.ranges.extend(sarg.ranges)
        builder.types.append(term.args[1].type)
        builder.merged_sarg |= bool(builder.ranges)
        builder.has_sarg = True
        builder.or_null(sarg.null_as)

    def fixed(self, unknown_as: str) -> Sequence[Expr] | None:
        """Return the terms, with one Sarg for all collected tests of an operand.

        None if the result would not be simpler than the terms as they are. `unknown_as`: value that may
        replace an UNKNOWN result.
        """
        builders = list(self._builders.values())
        if len(self.terms) > 1 and all(b.is_one_test for b in builders):
            return None
        worth = any(b.build(False).complexity > 1 or b.merged_sarg for b in builders)
        if not worth and not (len(self.terms) == 1 and all(b.build(self.negate).is_simple for b in builders)):
            return None
        return [self._fix(t, unknown_as) if isinstance(t, SargBuilder) else t for t in self.terms]

    def _fix(self, builder: SargBuilder, unknown_as: str) -> Expr:
        sarg = builder.build(self.negate)
        if (sarg.complexity <= 1 and sarg.is_simple) or sarg.ranges in ((), (ALL,)):
            return to_comparisons(builder.ref, sarg, builder.bound_type, unknown_as)
        return to_search(builder.ref, sarg, builder.bound_type)


def residue(function: str, value: Any, known: Sequence[tuple[str, Value]]) -> tuple[Range, ...]:
    """Return the values of x that satisfy `x function value`, if the known comparisons of x hold.

    ALL means that the comparison is implied. No range means that it is impossible.
    """
    result = of_comparison(function, value)
    for other, bound in known:
        ranges = of_comparison(other, bound)
        result = (ALL,) if encloses(result, ranges) else intersection(result, ranges)
    return result
