"""Copy the filter right above a scan into the scan, for the source. The filter also stays above, in CNF.

    Filter(a > 1)  Scan(t)   ->   Filter(a > 1)  Scan(t, filter=[>(a, 1)])

Flink: PushFilterIntoTableSourceScanRule, RexNodeExtractor, FlinkRexUtil.toCnf. Flink converts the condition
into the expressions that sources read, and back. This changes how plans print it: AND and OR in the scan's
filter have two operands each. In both filters, FLOAT and DOUBLE literals are written as Java writes a double.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import reduce

from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.plan.expressions.operations import (
    conjunction,
    conjuncts,
    expand_search,
    logical_call,
    rewrite,
    walk,
)
from firesteel.plan.nodes.logical import Filter, Scan
from firesteel.plan.simplify import simplify_condition
from firesteel.plan.simplify.cnf import to_cnf
from firesteel.plan.tree import Node
from firesteel.types.sql import APPROXIMATE, TypeRoot


def push_filter_into_scan(node: Node) -> Node:
    """Push the filter above a scan into the scan. Other nodes stay as they are."""
    if not isinstance(node, Filter) or not isinstance(node.input, Scan):
        return node
    scan = node.input
    if scan.filter or scan.table.traits is None or not scan.table.traits.pushes_filter:
        return node
    condition = rewrite(node.condition, _as_java)
    whole = isinstance(condition, Call) and condition.function == "SEARCH"
    terms = conjuncts(to_cnf(expand_search(condition) if whole else condition))
    if not terms:
        return node
    taken = [term for term in terms if _is_convertible(term)]
    shown = tuple(_in_pairs(expand_search(term)) for term in taken)
    shown_terms = set(taken)
    kept = conjunction([*taken, *(term for term in terms if term not in shown_terms)])
    assert kept is not None
    return Filter(replace(scan, filter=shown), simplify_condition(kept))


def _as_java(expr: Expr) -> Expr:
    """Return a literal as Flink has it after converting it for a source and back. Other expressions stay.

    A FLOAT or DOUBLE literal gets the value that Java's Double.toString writes. An INTERVAL literal gets a
    type with all units: INTERVAL HOUR becomes DAY TO SECOND, INTERVAL YEAR becomes YEAR TO MONTH.
    """
    if isinstance(expr, Literal) and expr.type.is_interval:
        months = expr.type.root is TypeRoot.INTERVAL_YEAR_MONTH
        return replace(
            expr, type=replace(expr.type, names=("YEAR", "MONTH") if months else ("DAY", "SECOND"))
        )
    if (
        isinstance(expr, Literal)
        and expr.type.root in APPROXIMATE
        and isinstance(expr.value, (int, float, Decimal))
    ):
        return replace(expr, value=java_double(float(expr.value)))
    return expr


def java_double(value: float) -> Decimal:
    """Return the decimal that Java's Double.toString writes, with at least one digit after the point."""
    exact = Decimal(repr(value))
    if not exact.is_finite() or (exact != 0 and not Decimal("1e-3") <= abs(exact) < Decimal("1e7")):
        sign, digits, exponent = exact.normalize().as_tuple()
        if isinstance(exponent, int) and len(digits) == 1:
            return Decimal((sign, (*digits, 0), exponent - 1))
        return exact
    return exact.quantize(Decimal("0.1")) if exact == exact.to_integral_value() else exact


def _in_pairs(expr: Expr) -> Expr:
    """Return an expression whose AND and OR have two operands each, nested to the left."""

    def rule(e: Expr) -> Expr:
        if not isinstance(e, Call) or e.function not in ("AND", "OR"):
            return e
        function = e.function
        return reduce(lambda left, right: logical_call(function, [left, right]), e.args)

    return rewrite(expr, rule)


_TESTS = (f"IS {no}JSON {kind}" for no in ("", "NOT ") for kind in ("VALUE", "SCALAR", "OBJECT", "ARRAY"))
UNCONVERTIBLE = frozenset(
    {"||", "TRIM", "IF", "CASE", "JSON", "ITEM", "ARRAY", "MAP", "Reinterpret", *_TESTS}
)
"""Functions that Flink cannot pass to a source.

Flink looks a function up by its SQL name in a list of the functions that can be passed to a source. The list
has these functions under other names, so Flink does not find them (RexNodeToExpressionConverter).
"""
_OLDER = """
    CHAR_LENGTH CONVERT_TZ CURRENT_DATABASE CURRENT_DATE CURRENT_ROW_TIMESTAMP CURRENT_TIME CURRENT_TIMESTAMP
    DATE_FORMAT FROM_BASE64 FROM_UNIXTIME PARSE_URL RAND_INTEGER REGEXP_EXTRACT REGEXP_REPLACE SPLIT_INDEX
    STR_TO_MAP TO_BASE64 TO_DATE TO_TIMESTAMP TRY_CAST UNIX_TIMESTAMP
"""
CONVERTIBLE = frozenset(_OLDER.split())
"""Functions with `_` in their names that Flink can pass to a source.

Flink removes `_` from a name before it looks the name up. Only older functions are listed under a name
without `_` (RexNodeToExpressionConverter, BuiltInFunctionDefinitions).
"""


def _is_known(function: str) -> bool:
    return function in CONVERTIBLE if "_" in function else function not in UNCONVERTIBLE


def _is_convertible(term: Expr) -> bool:
    calls = (e for e in walk(term) if isinstance(e, Call))
    return all(_is_known(call.function) and call.user is None for call in calls)
