"""Merge a window function right below an aggregate of its windows into the aggregate.

    WindowAggregate(win_start, win_end)  Exchange  TUMBLE(ts)   ->   WindowAggregate(TUMBLE(ts))  Exchange

Flink: PullUpWindowTableFunctionIntoWindowAggregateRule, ExpandWindowTableFunctionTransposeRule. After the
rewrite, rows reach the aggregate with their time, and without the start and end of their windows.

If a filter is above the function, and a WatermarkAssigner is right below it, the rule compares the costs of
two plans and takes the cheaper one. They depend on the fraction of rows that pass the filter:
- Function merged: the filter is right above the WatermarkAssigner. The fraction is `guessed`.
- Function not merged: the filter is above the function. The fraction is `estimated`.
Both functions are in plan/selectivity.py.

Like Flink's rule, this rule merges only if a Calc is between the Exchange and the function. Without a Calc,
the plan stays as it is. For example, a Calc is missing if it only computed arguments of aggregate calls whose
results the query does not read. An earlier rule has then dropped these calls and the Calc.
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.plan.expressions.operations import (
    conjunction,
    conjuncts,
    identity,
    input_refs,
    is_identity,
    substitute,
)
from firesteel.plan.nodes.physical import Calc, Exchange, Expand, WatermarkAssigner
from firesteel.plan.nodes.window.physical import WindowAggregate, WindowTableFunction
from firesteel.plan.selectivity import estimated, guessed
from firesteel.plan.tree import Node
from firesteel.plan.windowing import WINDOW_COLUMNS
from firesteel.rules.normalize.merge_projects import is_mergeable
from firesteel.rules.window.window_aggregates import computes_with

_SHUFFLE, _HASH_KEY, _AGGREGATE = 160, 8, 2
"""Cost of a row: for sending it, for each key of the exchange, and in the aggregate (FlinkCost)."""


def pull_up_windows(node: Node) -> Node:
    """Merge the window function below a window aggregate into it. Other nodes stay as they are.

    Raises:
        ValidationError: The windows are of processing time, and the function is not merged, because no Calc
            is above it or because the plan with a filter above it costs less. Flink refuses such a plan.
    """
    if not isinstance(node, WindowAggregate) or not isinstance(node.input, Exchange):
        return node
    if isinstance(node.input.input, WindowTableFunction):
        return _unmerged(node, hint="give the aggregate only columns of the window function")
    calc = _function_up(_as_calc(node.input.input))
    if not isinstance(calc, Calc) or not isinstance(calc.input, WindowTableFunction):
        return node
    function = calc.input
    columns = _window_columns(function)
    passed = {i for i, e in enumerate(calc.exprs) if input_refs(e) and columns & set(input_refs(e))}
    if _computes_with(calc, columns) or any(passed & set(call.args) for call in node.calls):
        return node
    if _function_is_cheaper(calc, function, len(node.keys)):
        return _unmerged(node, hint="filter the rows before the window function")
    return _pulled(node, calc, function)


def _unmerged(node: WindowAggregate, hint: str) -> WindowAggregate:
    """Return the aggregate unchanged: it reads the borders that the window function below writes.

    Raises:
        ValidationError: The windows are of processing time. `hint` is the hint of the error.
    """
    if node.windowing.is_rowtime:
        return node
    raise ValidationError(
        "Non-mergeable processing time window tvf aggregation is invalid, should fallback to group "
        "aggregation instead.",
        hint=hint,
    )


def _window_columns(function: WindowTableFunction) -> frozenset[int]:
    width = len(function.schema)
    return frozenset(range(width - len(WINDOW_COLUMNS), width))


def _computes_with(calc: Calc, columns: frozenset[int]) -> bool:
    filtered = calc.condition is not None and bool(columns & set(input_refs(calc.condition)))
    return filtered or computes_with(calc.exprs, columns)


def _function_is_cheaper(calc: Calc, function: WindowTableFunction, keys: int) -> bool:
    """Return whether the plan costs less if the window function stays below the filter of the Calc above it.

    False if there is no filter, or no WatermarkAssigner right below the function.
    """
    if calc.condition is None or not isinstance(function.input, WatermarkAssigner):
        return False
    row = _SHUFFLE + _HASH_KEY * keys + _AGGREGATE
    copies = function.windowing.window.copies
    return copies + copies * estimated(calc.condition) * row < guessed(calc.condition) * row


def _pulled(node: WindowAggregate, calc: Calc, function: WindowTableFunction) -> WindowAggregate:
    below, moved, time = _without_borders(calc, function)
    position = {old: new for new, old in enumerate(moved)}
    keys = tuple(position[k] for k in node.keys)
    calls = tuple(
        replace(
            call,
            args=tuple(position[i] for i in call.args),
            filter=None if call.filter is None else position[call.filter],
        )
        for call in node.calls
    )
    partition: dict[int, int] = {}
    for new, old in enumerate(moved):
        expr = calc.exprs[old]
        if isinstance(expr, InputRef):
            partition.setdefault(expr.index, new)
    window = function.windowing.window.moved(partition)
    window = replace(window, partition=tuple(sorted(window.partition)))
    windowing = replace(function.windowing, window=window, by=(("time_col", time),))
    return replace(node, input=Exchange(_on(below), keys), keys=keys, calls=calls, windowing=windowing)


def _without_borders(calc: Calc, function: WindowTableFunction) -> tuple[Calc, list[int], int]:
    """Return the Calc over the function's input, with the time and without the borders.

    Returns:
        The new Calc. For each of its columns from `calc`, the position in `calc`. The position of the time in
        the new Calc, which has the time as a further column if `calc` does not pass it on.
    """
    columns, time = _window_columns(function), function.windowing.column("time_col")
    assert time is not None
    below = function.input.input if isinstance(function.input, Exchange) else function.input
    kept = [i for i, e in enumerate(calc.exprs) if not (isinstance(e, InputRef) and e.index in columns)]
    exprs: list[Expr] = [calc.exprs[i] for i in kept]
    names = [calc.names[i] for i in kept]
    place = next((n for n, e in enumerate(exprs) if isinstance(e, InputRef) and e.index == time), None)
    if place is None:
        place = len(exprs)
        exprs.append(InputRef(time, below.schema[time].type))
        names.append(_unique(below.schema[time].name, names))
    return Calc(below, tuple(exprs), tuple(names), calc.condition), kept, place


def _unique(name: str, taken: list[str]) -> str:
    found, attempt = name, 0
    while found in taken:
        found, attempt = f"{name}_{attempt}", attempt + 1
    return found


def _on(calc: Calc) -> Node:
    """Return the Calc merged with a Calc right below it. A Calc that changes nothing is dropped."""
    below = calc.input
    if isinstance(below, Calc) and is_mergeable(calc.exprs, below.exprs):
        terms = [*conjuncts(below.condition)]
        if calc.condition is not None:
            terms += conjuncts(substitute(calc.condition, below.exprs))
        exprs = tuple(substitute(e, below.exprs) for e in calc.exprs)
        return Calc(below.input, exprs, calc.names, conjunction(terms))
    if calc.condition is None and is_identity(calc.exprs, len(below.schema)):
        return below
    return calc


def _as_calc(node: Node) -> Node:
    """Return an Expand with a new Calc above it that passes on all columns. Other nodes stay as they are."""
    if not isinstance(node, Expand):
        return node
    return Calc(node, identity(f.type for f in node.schema), tuple(f.name for f in node.schema))


def _function_up(node: Node) -> Node:
    """Move a window function from below an Expand to above it: the Expand then copies rows without borders.

        Calc  Expand  Calc  TUMBLE   ->   Calc  TUMBLE  Expand  Calc

    With a second Calc and Expand between, the function moves above both. A node stays as it is if it has
    another form, if the lower Calc computes with a border, or if the Expand replaces a border by NULL.
    """
    if not isinstance(node, Calc) or not isinstance(node.input, Expand):
        return node
    expand = node.input
    lower = _function_up(expand.input)
    if not isinstance(lower, Calc) or not isinstance(lower.input, WindowTableFunction):
        return node
    function = lower.input
    columns = _window_columns(function)
    if _computes_with(lower, columns):
        return node
    below, kept, time = _without_borders(lower, function)
    borders = {*range(len(lower.exprs))} - {*kept}
    if any(isinstance(row[i], Literal) for row in expand.projects for i in borders):
        return node
    copied, time = _copied(expand, _on(below), kept, time)
    upper = WindowTableFunction(copied, function.windowing.at(("time_col", time)))
    restored = _restored(lower, kept, function, upper)[: len(expand.schema)]
    condition = None if node.condition is None else substitute(node.condition, restored)
    return Calc(upper, tuple(substitute(e, restored) for e in node.exprs), node.names, condition)


def _copied(expand: Expand, below: Node, kept: list[int], time: int) -> tuple[Expand, int]:
    """Return the Expand over the Calc without borders, and the position of the time in the Expand's rows.

    The Expand makes several copies of each row. If the time is not among its columns, or is NULL in a copy,
    the time is added to all copies as the last column.

    Args:
        expand: The original Expand.
        below: The Calc without borders.
        kept: Positions in the original Calc of the columns that `below` has.
        time: Position of the time in `below`.
    """
    position = {old: new for new, old in enumerate(kept)}
    added = range(len(expand.input.schema), len(expand.schema))
    rows = [
        tuple(
            replace(cell, index=position[cell.index]) if isinstance(cell, InputRef) else cell
            for cell in (row[i] for i in (*kept, *added))
        )
        for row in expand.projects
    ]
    if time < len(kept) and all(isinstance(row[time], InputRef) for row in rows):
        return Expand(below, tuple(rows)), time
    column = InputRef(time, below.schema[time].type)
    return Expand(below, tuple((*row, column) for row in rows)), len(rows[0])


def _restored(
    lower: Calc, kept: list[int], function: WindowTableFunction, upper: WindowTableFunction
) -> list[Expr]:
    """Return the columns of the original Expand as expressions over the moved window function.

    Args:
        lower: Calc that was the Expand's input.
        kept: Positions in `lower` of the columns that the new Expand has. The others are window borders.
        function: The original window function, below `lower`.
        upper: The moved window function, above the new Expand.

    Returns:
        An expression for each column of `lower`. Then the columns that the Expand adds, such as the number of
        the copy. Last, the columns that only `upper` has, which the caller drops.
    """
    columns = identity(f.type for f in upper.schema)
    position = {old: new for new, old in enumerate(kept)}
    first_old, first_new = len(function.schema) - len(WINDOW_COLUMNS), len(upper.schema) - len(WINDOW_COLUMNS)
    found: list[Expr] = []
    for i, expr in enumerate(lower.exprs):
        if i in position:
            found.append(columns[position[i]])
        else:
            assert isinstance(expr, InputRef)
            found.append(columns[first_new + expr.index - first_old])
    return [*found, *columns[len(kept) :]]
