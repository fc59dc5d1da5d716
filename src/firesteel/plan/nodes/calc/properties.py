"""Properties of projections and filters, and of Calc, which combines them."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import input_refs, operands
from firesteel.plan.nodes import logical, physical
from firesteel.plan.nodes.calc.expression_ranges import expression_range
from firesteel.plan.properties.changelog_modes import UpdateKind, kinds_sent, kinds_taken, updates_wanted
from firesteel.plan.properties.keys import Keys, through_projection, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    TimeAttributes,
    event_times,
    is_time,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    DECREASING,
    INCREASING,
    NOT_MONOTONIC,
    Monotonicity,
    Range,
    all_columns,
    is_append,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import WindowProperties, window_properties
from firesteel.plan.tree import Node

_Projection = logical.Project | physical.Calc
_PROJECTIONS = (logical.Project, physical.Calc)

upsert_keys.of_input(logical.Filter)
unique_keys.of_input(logical.Filter)
time_attributes.of_input(logical.Filter)
window_properties.of_input(logical.Filter)
interval_asked.always(NOTHING_ASKED, physical.Calc)


@upsert_keys.of(*_PROJECTIONS)
def _upsert_keys(node: _Projection) -> Keys:
    return through_projection(upsert_keys(node.input), node.exprs)


@unique_keys.of(*_PROJECTIONS)
def _unique_keys(node: _Projection) -> Keys:
    return through_projection(unique_keys(node.input), node.exprs)


@time_attributes.of(*_PROJECTIONS)
def _times(node: _Projection) -> TimeAttributes:
    below = time_attributes(node.input)
    return below.mapped(
        lambda times, rowtime: (i for i, e in enumerate(node.exprs) if is_time(e, times, rowtime))
    )


@window_properties.of(logical.Project)
def _windows(node: logical.Project) -> WindowProperties | None:
    below = window_properties(node.input)
    if below is None:
        return None
    places: dict[int, list[int]] = {}
    for i, expr in enumerate(node.exprs):
        if isinstance(expr, InputRef):
            places.setdefault(expr.index, []).append(i)
    if not places or any(key not in places for key in below.window.partition):
        return None
    moved = below.mapped(lambda columns: (i for column in columns for i in places.get(column, [])))
    return moved.over(below.window.moved({column: found[0] for column, found in places.items()}))


# --- changes -------------------------------------------------------------------------------------
kinds_sent.of_input(physical.Calc)
kinds_taken.always(None, physical.Calc)


@updates_wanted.of(physical.Calc)
def _updates(node: physical.Calc, wish: UpdateKind) -> tuple[UpdateKind, ...] | None:
    """Return the form of updates required of the input, as a tuple of one form: `wish`.

    None if the node cannot send the form `wish`. It cannot send ONLY_AFTER (new rows without old ones) if no
    upsert key of the input contains all columns that its filter reads. Then an update may make a row fail the
    filter, and the old row is needed to remove it.

    Args:
        node: The node.
        wish: Form in which the node must send updates.
    """
    return None if wish is UpdateKind.ONLY_AFTER and not _filters_keys_alone(node) else (wish,)


def _filters_keys_alone(calc: physical.Calc) -> bool:
    if calc.condition is None:
        return True
    read = set(input_refs(calc.condition))
    return any(read <= key for key in upsert_keys(calc.input))


# --- values --------------------------------------------------------------------------------------
@value_range.of(physical.Calc)
def _range(node: physical.Calc, column: int) -> Range:
    return expression_range(node.exprs[column], node)


@monotonicity.of(physical.Calc)
def _moves(node: physical.Calc) -> Monotonicity:
    below = monotonicity(node.input)
    if below is None:
        return None
    if is_append(below):
        return all_columns(CONSTANT, len(node.exprs))
    if node.condition is not None and _may_leave(node.condition, below):
        return all_columns(NOT_MONOTONIC, len(node.exprs))
    refs = [_without_casts(e) for e in node.exprs]
    return tuple(below[r.index] if isinstance(r, InputRef) else NOT_MONOTONIC for r in refs)


def _without_casts(expr: Expr) -> Expr:
    while isinstance(expr, Call) and expr.function == "CAST":
        expr = expr.args[0]
    return expr


@from_below
def _may_leave(condition: Expr, columns: tuple[str, ...]) -> bool:
    """Return whether an update may make a row fail a condition that the row satisfied before.

    Args:
        condition: The condition.
        columns: For each column of the input, how updates change its value: CONSTANT, INCREASING, DECREASING
            or NOT_MONOTONIC.
    """
    if isinstance(condition, InputRef):
        return columns[condition.index] != CONSTANT
    if not isinstance(condition, Call):
        return False
    args = [_without_casts(a) for a in condition.args]
    moving = [columns[a.index] for a in args if isinstance(a, InputRef) and columns[a.index] != CONSTANT]
    if condition.function in ("AND", "OR"):
        return any(_may_leave(term, columns) for term in operands(condition, condition.function)[:2])
    if condition.function in (">", ">="):
        return bool(moving) and moving[0] != INCREASING
    if condition.function in ("<", "<="):
        return bool(moving) and moving[0] != DECREASING
    if condition.function in ("SEARCH", "=", "<>"):
        return bool(moving)
    return condition.function in ("NOT", "IS NOT TRUE", "IS TRUE", "IS NOT NULL", "IS NULL") and _may_leave(
        args[0], columns
    )


values_read.never("each of its expressions tells by itself", physical.Calc)


# --- row times -----------------------------------------------------------------------------------
OF_ARGUMENT_TYPE = frozenset({"+", "-", "FLOOR", "CEIL", "COALESCE"})


def has_type_of_row_time(expr: Expr, below: Node) -> bool:
    """Return whether Calcite gives an expression the type of a row time.

    True for a row time, and for a call on a row time whose function returns the type of its argument. Such a
    call is not a time attribute, but a window of GROUP BY accepts it as its time.

    Args:
        expr: Expression over the columns of `below`.
        below: The input.
    """
    if isinstance(expr, InputRef):
        if expr.index in event_times(below):
            return True
        if isinstance(below, logical.Filter):
            return has_type_of_row_time(expr, below.input)
        return isinstance(below, logical.Project) and has_type_of_row_time(
            below.exprs[expr.index], below.input
        )
    if not isinstance(expr, Call) or expr.function not in OF_ARGUMENT_TYPE or not expr.type.is_datetime:
        return False
    return all(arg.type.is_interval or has_type_of_row_time(arg, below) for arg in expr.args)
