"""Simplify conditions and projections, using what is known of their input.

    Project(a, b)  Filter(a = 1 AND TRUE)   ->   Project(1, b)  Filter(a = 1)

Flink: SimplifyFilterConditionRule; Calcite: FilterReduceExpressionsRule, ProjectReduceExpressionsRule. A
column with one value in all rows below is replaced by that value. A condition that cannot hold leaves no
rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from operator import ge

from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import is_false, is_true, operands, rewrite
from firesteel.plan.expressions.over import contains_over, is_over
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.over.logical import OverAggregate
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.simplify import simplify_condition, simplify_value
from firesteel.plan.simplify.sarg import as_double, compared_literal
from firesteel.plan.tree import Node
from firesteel.rules.normalize.failing_constants import has_failing_constant
from firesteel.rules.normalize.fold_constants import fold_constants
from firesteel.rules.normalize.known_columns import with_known_columns
from firesteel.rules.normalize.prune_empty import without_rows
from firesteel.rules.normalize.pull_factors import pull_factors
from firesteel.rules.normalize.push_into_case import push_into_cases
from firesteel.rules.normalize.refuse_division import is_constant, is_constant_column, refuse_division
from firesteel.types.decimals import digits
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType
from firesteel.types.zones import session_zone


def reduce_expressions(node: Node, configuration: Mapping[str, str]) -> Node:
    """Simplify the expressions of a filter, a projection or a join. Other nodes stay as they are."""
    if not isinstance(node, (Filter, Project, Join)):
        return node
    named = configuration.get("table.local-time-zone")
    zone = None if named is None else session_zone(named)
    if isinstance(node, Filter):
        return _filter(node, zone)
    if isinstance(node, Join):
        return replace(node, condition=_condition(_with_constants(node), zone))
    known = constant_columns(node.input)
    given = [push_into_cases(e) for e in with_known_columns(node.exprs, node.input, known)]
    for expr in given:
        refuse_division(expr)
    fold = _folding(given, zone)
    value = partial(_value, fold=fold, holds=_held_below(node))
    return replace(node, exprs=tuple(map(value, node.exprs, given)))


def _held_below(node: Project) -> tuple[Expr, ...]:
    """Return the terms of the filter right below a projection, which hold for all rows that it reads.

    Empty without a filter, and for a filter right above an OVER aggregate, as in Flink.
    """
    if not isinstance(node.input, Filter) or isinstance(node.input.input, OverAggregate):
        return ()
    return tuple(operands(node.input.condition, "AND"))


def _folding(exprs: Sequence[Expr], zone: str | None) -> Callable[[Expr], Expr]:
    """Return a function that folds the constants of an expression.

    If the computation of a constant in `exprs` fails, the function returns each expression unchanged.
    """
    if has_failing_constant(exprs, zone):
        return lambda expr: expr
    return partial(fold_constants, zone=zone)


def _filter(node: Filter, zone: str | None) -> Node:
    condition = _condition(node.condition, zone)
    if is_true(condition):
        return node.input
    if is_false(condition) or (isinstance(condition, Literal) and condition.value is None):
        return without_rows(node)
    return node if condition == node.condition else replace(node, condition=condition)


def _condition(condition: Expr, zone: str | None) -> Expr:
    """Return a condition of a filter or a join, simplified and folded."""
    refuse_division(condition)
    doubles = rewrite(condition, lambda e: as_double(e) if isinstance(e, Literal) else e)
    fold = _folding([doubles], zone)
    condition = pull_factors(simplify_condition(fold(_reachable(doubles))))
    for _ in range(5):
        before, condition = condition, fold(simplify_condition(push_into_cases(condition)))
        if condition == before:
            break
    return condition


def _value(expr: Expr, given: Expr, fold: Callable[[Expr], Expr], holds: Sequence[Expr]) -> Expr:
    """Return a simplified expression of a projection, in its original type.

    Args:
        expr: The original expression.
        given: The same expression, with columns of known value replaced by the value.
        fold: Folds constants.
        holds: Conditions that all rows of the input satisfy.
    """
    if contains_over(given):
        return _of_windows(given, lambda part: _value(part, part, fold, holds))
    if isinstance(given, Call) and given.function == "CAST" and given.options:
        return given  # a constant cast to a time attribute stays
    reduced = fold(simplify_value(fold(_reachable(given)), holds))
    return reduced if reduced.type == expr.type else Call("CAST", (reduced,), expr.type)


def _of_windows(expr: Expr, value: Callable[[Expr], Expr]) -> Expr:
    """Return an expression with OVER simplified: first the operands of the windows, then the rest.

    The operands keep their types.
    """
    windows: list[Expr] = []

    def apart(part: Expr) -> Expr:
        if not isinstance(part, Call) or not is_over(part):
            return part
        windows.append(part.with_args(tuple(map(value, part.args))))
        return InputRef(-len(windows), part.type)

    reduced = value(rewrite(expr, apart))
    return rewrite(reduced, lambda e: windows[~e.index] if isinstance(e, InputRef) and e.index < 0 else e)


def _reachable(expr: Expr) -> Expr:
    """Return the expression with each COALESCE cut after its first argument that is never NULL."""

    def rule(e: Expr) -> Expr:
        if isinstance(e, Call) and e.function == "COALESCE":
            stop = next((i for i, a in enumerate(e.args[:-1]) if not a.type.nullable), len(e.args))
            return cast(e.args[0], e.type) if stop == 0 else replace(e, args=e.args[: stop + 1])
        return e

    return rewrite(expr, rule)


def _held(expr: Expr, literal: Literal) -> tuple[InputRef, Literal] | None:
    """Return the column that has one value in all rows with `expr = literal`, and this value.

    `expr` is the column, or a cast of the column to a wider type. The value is the literal in the column's
    type (Calcite: RexUtil.gatherConstraint). None if it is anything else, or if the column's type lacks the
    literal.
    """
    if isinstance(expr, InputRef):
        return expr, literal
    if not isinstance(expr, Call) or expr.function != "CAST" or literal.value is None:
        return None
    (operand,) = expr.args
    if not isinstance(operand, InputRef) or not _is_wider(expr.type, operand.type):
        return None
    if operand.type.is_integer and isinstance(literal.value, (int, Decimal)):
        if literal.value != int(literal.value):
            return None
        literal = Literal(int(literal.value), BIGINT.with_nullable(False))
    value = cast(literal, operand.type)
    return (operand, value) if isinstance(value, Literal) else None


def _held_to_call(term: Expr) -> tuple[InputRef, Expr] | None:
    """Return column and call of a term `column = call`, where the call is a constant without a literal.

    An example is `a = CAST('x' AS INT)`, which is not folded because it fails. None for any other term.
    """
    if not isinstance(term, Call) or term.function != "=":
        return None
    for column, value in (term.args, term.args[::-1]):
        if isinstance(column, InputRef) and isinstance(value, Call) and is_constant(value):
            return column, value
    return None


def _is_wider(target: SqlType, source: SqlType) -> bool:
    """Return whether the target type is wider than the source type (Calcite: RexUtil.canAssignFrom)."""
    if target.is_numeric and source.is_numeric:
        if target.root in APPROXIMATE or source.root in APPROXIMATE:
            return False
        return all(map(ge, digits(target), digits(source)))
    if target.is_character and source.is_character:
        return (target.length or 0) >= (source.length or 0)
    return False


@from_below
def constant_columns(node: Node) -> dict[int, Expr]:
    """Return the columns with one value in all rows of a node, each with that value.

    A value is a literal or a call of literals (Calcite: RelMdPredicates, RexUtil.predicateConstants).
    """
    if isinstance(node, Filter):
        found = constant_columns(node.input)
        for term in operands(node.condition, "AND"):
            if isinstance(term, Call) and term.function == "IS NULL" and isinstance(term.args[0], InputRef):
                found[term.args[0].index] = Literal(None, term.args[0].type)
                continue
            known = compared_literal(term)
            held: tuple[InputRef, Expr] | None = None
            if known is not None and known[0] == "=":
                held = _held(known[1], known[2])
            held = held or _held_to_call(term)
            if held is not None:
                found[held[0].index] = held[1]
        return found
    if isinstance(node, Project):
        below = constant_columns(node.input)
        values = (below.get(e.index, e) if isinstance(e, InputRef) else e for e in node.exprs)
        return {i: value for i, value in enumerate(values) if is_constant_column(value)}
    if isinstance(node, Snapshot):
        return constant_columns(node.input)
    if isinstance(node, Join):
        return _of_join(node)
    if isinstance(node, Aggregate):
        below = constant_columns(node.input)
        return {i: below[k] for i, k in enumerate(node.keys) if k in below and node.in_all_groups(k)}
    return {}


def _of_join(node: Join) -> dict[int, Expr]:
    """Return the constant columns of both inputs, without those of a padded input, which may be NULL."""
    left, right = node.inputs
    found = {} if node.join_type.pads_left else dict(constant_columns(left))
    if node.join_type.has_right_columns and not node.join_type.pads_right:
        found |= {node.left_width + i: value for i, value in constant_columns(right).items()}
    return found


def _with_constants(node: Join) -> Expr:
    """Return the condition of a join with the constant columns of its inputs replaced."""
    left, right = map(constant_columns, node.inputs)
    known = {**left, **{node.left_width + i: value for i, value in right.items()}}
    return rewrite(node.condition, lambda e: _as_column(e, known))


def _as_column(expr: Expr, known: Mapping[int, Expr]) -> Expr:
    if not isinstance(expr, InputRef) or expr.index not in known:
        return expr
    value = known[expr.index]
    return cast(value, expr.type) if isinstance(value, Literal) else expr
