"""Plan a GROUP BY by both borders of windows as an aggregate of windows.

    GROUP BY window_start, window_end, k

Flink: StreamPhysicalWindowAggregateRule, WindowUtil.isValidWindowAggregate. In three cases, the aggregate
becomes a GroupAggregate instead: it groups by one border alone; its keys besides the borders are not the
columns of PARTITION BY in SESSION; or, with windows of processing time, an aggregate call or an expression
below reads a border.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import AggregateCall, Expr, InputRef
from firesteel.plan.expressions.operations import input_refs, is_identity, substitute
from firesteel.plan.metadata import window_properties, windows_of_all_rows
from firesteel.plan.nodes.accumulators import merges
from firesteel.plan.nodes.logical import Aggregate, Filter, Project, Union, unused_name
from firesteel.plan.nodes.window.logical import WindowAggregate, WindowTableFunction
from firesteel.plan.properties.window_properties import WindowProperties
from firesteel.plan.tree import Node
from firesteel.plan.windowing import WINDOW_COLUMNS, Window, Windowing
from firesteel.rules.normalize.merge_projects import merge_projects


def window_aggregates(node: Node) -> Node:
    """Rewrite an aggregate by both borders of windows, with a projection to the query's columns above it.

    A projection above the added projection is merged with it. A filter above it moves below it.

    Raises:
        ValidationError: The size of a HOP is no multiple of its step, an aggregate function cannot be merged,
            or a key or an aggregate call has the name of a border, such as window_start.
    """
    if isinstance(node, Aggregate):
        properties = of_windows(node)
        return node if properties is None else _formed(node, properties)
    if isinstance(node, Project) and isinstance(node.input, Project):
        return merge_projects(node) if isinstance(node.input.input, WindowAggregate) else node
    if isinstance(node, Filter) and isinstance(node.input, Project):
        project = node.input
        if isinstance(project.input, WindowAggregate):
            filtered = Filter(project.input, substitute(node.condition, project.exprs))
            return replace(project, input=filtered)
    return node


def name_window_keys(node: Node) -> Node:
    """Give the keys of a window aggregate the names in the projection above, as Flink's plans show them."""
    below = node.input if isinstance(node, Project) else None
    if not isinstance(node, Project) or not isinstance(below, WindowAggregate) or below.outputs:
        return node
    shown = [e.index for e in node.exprs if isinstance(e, InputRef)]
    names = [field.name for field in below.schema]
    for expr, name in zip(node.exprs, node.names, strict=True):
        is_key = isinstance(expr, InputRef) and expr.index < len(below.keys) and shown.count(expr.index) == 1
        if isinstance(expr, InputRef) and is_key and name not in names:
            names[expr.index] = name
    return replace(node, input=replace(below, outputs=tuple(names)))


def of_windows(node: Aggregate) -> WindowProperties | None:
    """Return the windows of the input if an aggregate groups by them, else None."""
    properties = windows_of_all_rows(node.input)
    if properties is None or not properties.grouped(node.keys):
        return None
    keys = set(node.keys) - properties.columns
    if properties.window.function == "SESSION" and keys != set(properties.window.partition):
        return None
    if not properties.is_rowtime and not _untouched(node, properties):
        return None
    return properties


def _untouched(node: Aggregate, properties: WindowProperties) -> bool:
    """Return whether no call reads a border, and the nodes down to the window function only pass them on."""
    if any(i in properties.columns for call in node.calls for i in call.args):
        return False
    below = node.input
    while not isinstance(below, WindowTableFunction):
        if isinstance(below, (Aggregate, WindowAggregate, Union)) or len(below.children) != 1:
            return False
        known = window_properties(below.children[0])
        columns = known.columns if known is not None else frozenset()
        if isinstance(below, Filter) and columns & set(input_refs(below.condition)):
            return False
        if isinstance(below, Project) and computes_with(below.exprs, columns):
            return False
        below = below.children[0]
    return True


def computes_with(exprs: Sequence[Expr], columns: frozenset[int]) -> bool:
    """Return whether any expression computes with one of the columns, beyond passing it on."""
    return any(columns & set(input_refs(e)) for e in exprs if not isinstance(e, InputRef))


def _formed(node: Aggregate, properties: WindowProperties) -> Node:
    window = properties.window
    _check(window, node.calls)
    keys = tuple(k for k in node.keys if k not in properties.columns)
    start = min(properties.starts & set(node.keys))
    end = min(properties.ends & set(node.keys))
    given = WINDOW_COLUMNS if properties.times & set(node.keys) else WINDOW_COLUMNS[:2]
    windowing = Windowing(
        window, (("win_start", start), ("win_end", end)), properties.time_type, properties.is_rowtime
    )
    calls = _named(node, keys)
    _check_names([*(node.input.schema[k].name for k in keys), *(c.name for c in calls)], given)
    aggregate = WindowAggregate(node.input, keys, calls, windowing, given)
    return _as_before(node, aggregate, properties)


def _as_before(node: Aggregate, aggregate: WindowAggregate, properties: WindowProperties) -> Node:
    """Return the columns of the original aggregate: its keys in order, then the calls."""
    width = len(aggregate.keys) + len(aggregate.calls)
    places = {key: i for i, key in enumerate(aggregate.keys)}
    for offset, columns in enumerate((properties.starts, properties.ends, properties.times)):
        places |= dict.fromkeys(columns, width + offset)
    order = [places[key] for key in node.keys]
    order += range(len(aggregate.keys), width)
    exprs = tuple(InputRef(i, aggregate.schema[i].type) for i in order)
    names = tuple(f.name for f in node.schema)
    if is_identity(exprs, len(aggregate.schema)):
        return replace(aggregate, outputs=names)
    return Project(aggregate, exprs, names)


def _named(node: Aggregate, keys: tuple[int, ...]) -> tuple[AggregateCall, ...]:
    """Return the calls of an aggregate with unique names, which also differ from the names of the keys.

    A call keeps its name. A call without a name gets the name `$f<n>`, where n is its position in the list of
    keys and calls: with 2 keys, the first call is `$f2`. If the planner has split the aggregate into two to
    divide the work of DISTINCT, all calls get the name `$f<n>`, also those with a name.
    """
    taken = {node.input.schema[k].name for k in keys}
    calls = []
    for position, call in enumerate(node.calls, start=len(keys)):
        given = "" if node.partial_final is not None else call.name
        name = unused_name(given or f"$f{position}", taken)
        taken.add(name)
        calls.append(replace(call, name=name))
    return tuple(calls)


def _check_names(names: Sequence[str], given: Sequence[str]) -> None:
    taken = [name for name in given if name in names]
    if taken:
        raise ValidationError(
            f"Field names must be unique. Found duplicates: [{', '.join(taken)}]",
            hint="give the key or the aggregate another name",
        )


def _check(window: Window, calls: Sequence[AggregateCall]) -> None:
    if window.function == "HOP" and window.step is not None and window.size % window.step:
        raise ValidationError(
            "HOP table function based aggregate requires size must be an integral multiple of slide, but "
            f"got size {window.size} ms and slide {window.step} ms"
        )
    check_merges(window, calls)


def check_merges(window: Window, calls: Sequence[AggregateCall]) -> None:
    """Raise ValidationError if windows share accumulators and a call cannot be merged."""
    if window.function == "TUMBLE":
        return
    for call in calls:
        if not merges(call):
            raise ValidationError(
                f"Could not find an implementation method 'merge' for function '{call.function}': windows of "
                f"{window.function} share what they aggregate, and it cannot be merged",
                range=call.range,
            )
