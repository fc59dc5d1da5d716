"""Plan GROUP BY TUMBLE(ts, ..) as an aggregate by a group window, and its auxiliary functions as columns.

    Project(TUMBLE_END($0))  Aggregate($0)  Project($TUMBLE(ts, 10 s))
        ->  Project(w$end)  GroupWindowAggregate(TUMBLE, w$start, w$end, ..)  Project(ts)

Flink: StreamLogicalWindowAggregateRule, WindowPropertiesRules.

The window is an attribute of the new aggregate, not one of its keys. In the projection below the aggregate,
the time column `ts` replaces the call `$TUMBLE(ts, ..)`.

If the query calls an auxiliary function, such as TUMBLE_END, the output of the aggregate has these columns:
w$start, w$end, w$rowtime and w$proctime. Windows of processing time have no w$rowtime.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import cast_to, rewrite, substitute, walk
from firesteel.plan.metadata import has_type_of_row_time
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.window.logical import GroupWindowAggregate
from firesteel.plan.tree import Node
from firesteel.plan.windowing import AUXILIARIES, GROUP_WINDOWS, Window, property_type
from firesteel.rules.window.window_aggregates import check_merges

_WINDOW = "$WINDOW"
"""Function of a call that stands for the window: a column of the projection above the aggregate. The next
node above reads it in auxiliary functions such as TUMBLE_END, which the rule turns into columns there."""


def group_windows(node: Node) -> Node:
    """Rewrite an aggregate by a group window, or the auxiliary functions above one.

    Raises:
        ValidationError: The rowtime of a window of processing time is read.
    """
    if isinstance(node, Aggregate) and isinstance(node.input, Project):
        key = next((k for k in node.keys if _is_window(node.input.exprs[k])), None)
        return node if key is None else _formed(node, node.input, key)
    if isinstance(node, (Project, Filter)) and isinstance(node.input, Project):
        return _above(node, node.input)
    return node


def _is_window(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function.removeprefix("$") in GROUP_WINDOWS


# --- the aggregate -------------------------------------------------------------------------------
def _formed(node: Aggregate, project: Project, key: int) -> Node:
    call = project.exprs[key]
    assert isinstance(call, Call)
    if node.groups:
        raise ValidationError(
            f"Unsupported call: {call.function} in GROUPING SETS, CUBE or ROLLUP",
            range=call.range,
            hint="a window table function can stand beside grouping sets",
        )
    time = call.args[0]
    exprs = tuple(time if i == key else e for i, e in enumerate(project.exprs))
    names = _names(exprs, project.input)
    keys = tuple(k for k in node.keys if k != key)
    calls = tuple(_without_groups(c, bool(keys)) for c in node.calls)
    window = _window(call)
    check_merges(window, calls)
    is_rowtime = has_type_of_row_time(time, project.input)
    aggregate = GroupWindowAggregate(
        replace(project, exprs=exprs, names=names),
        keys,
        calls,
        window,
        key,
        names[key],
        time.type,
        is_rowtime,
    )
    return _as_before(node, aggregate, key, call)


def _names(exprs: Sequence[Expr], below: Node) -> tuple[str, ...]:
    """Return the names of the columns below a group window aggregate.

    An input column keeps its name. There are three exceptions. An input column whose name begins with `w$`
    (such as `w$start` of another window aggregate below) is named `$f<position>`. A computed column is also
    named `$f<position>`. PROCTIME() is named `$f<n>`, where n is the number of columns of the input. A name
    that is taken gets a number behind it: a, a0, a1.
    """
    found: list[str] = []
    for position, expr in enumerate(exprs):
        name = f"$f{position}"
        if isinstance(expr, InputRef) and not below.schema[expr.index].name.startswith("w$"):
            name = below.schema[expr.index].name
        elif isinstance(expr, Call) and expr.function == "PROCTIME":
            name = f"$f{len(below.schema)}"
        unique, attempt = name, 0
        while unique in found:
            unique, attempt = f"{name}{attempt}", attempt + 1
        found.append(unique)
    return tuple(found)


def _window(call: Call) -> Window:
    lengths = [arg.value for arg in call.args[1:] if isinstance(arg, Literal) and isinstance(arg.value, int)]
    function = call.function.removeprefix("$")
    return Window(function, lengths[-1], lengths[0] if function == "HOP" else None)


def _without_groups(call: AggregateCall, keyed: bool) -> AggregateCall:
    """Return a call, with a nullable result if the window is the only key (`keyed` is False).

    As in Flink, the type is then that of an aggregate without GROUP BY: a COUNT is never NULL, but a SUM is
    nullable.
    """
    if keyed or traits_of(call.function).never_null:
        return call
    return replace(call, type=call.type.with_nullable(True))


def _as_before(node: Aggregate, aggregate: GroupWindowAggregate, key: int, window: Call) -> Project:
    """Return a projection of `aggregate` to the columns of the original aggregate.

    These are its keys, then its results. A `$WINDOW` call takes the place of the window among the keys.
    Results are cast to their original types.
    """
    columns = [InputRef(i, f.type) for i, f in enumerate(aggregate.schema)]
    exprs: list[Expr] = []
    for k in node.keys:
        if k == key:
            exprs.append(Call(_WINDOW, (), window.type))
        else:
            exprs.append(columns[aggregate.keys.index(k)])
    results = zip(columns[len(aggregate.keys) :], node.schema[len(node.keys) :], strict=True)
    exprs += [cast_to(column, field.type) for column, field in results]
    return Project(aggregate, tuple(exprs), tuple(f.name for f in node.schema))


# --- the auxiliary functions ---------------------------------------------------------------------
def _above(node: Project | Filter, below: Project) -> Node:
    """Return a projection or filter over a group window aggregate, with its auxiliary functions resolved."""
    aggregate = _aggregate_of(below.input)
    if aggregate is None or not any(_is_marker(part) for e in below.exprs for part in walk(e)):
        return node
    asked = [*(node.exprs if isinstance(node, Project) else (node.condition,))]
    found = [substitute(e, below.exprs) for e in asked]
    if any(_is_auxiliary(part) for e in found for part in walk(e)):
        aggregate = _with_properties(aggregate)
    answered = [rewrite(e, lambda part: _answer(part, aggregate)) for e in found]
    lower = _replaced(below.input, aggregate)
    if isinstance(node, Filter):
        return replace(below, input=Filter(lower, answered[0]))
    return Project(lower, tuple(answered), node.names)


def _aggregate_of(node: Node) -> GroupWindowAggregate | None:
    below = node.input if isinstance(node, Filter) else node
    return below if isinstance(below, GroupWindowAggregate) else None


def _replaced(node: Node, aggregate: GroupWindowAggregate) -> Node:
    return replace(node, input=aggregate) if isinstance(node, Filter) else aggregate


def _is_marker(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function == _WINDOW


def _is_auxiliary(expr: Expr) -> bool:
    return isinstance(expr, Call) and expr.function in AUXILIARIES


def _with_properties(aggregate: GroupWindowAggregate) -> GroupWindowAggregate:
    times = ("w$rowtime", "w$proctime") if aggregate.is_rowtime else ("w$proctime",)
    return replace(aggregate, properties=("w$start", "w$end", *times))


def _answer(expr: Expr, aggregate: GroupWindowAggregate) -> Expr:
    if not isinstance(expr, Call) or not _is_auxiliary(expr):
        return expr
    name = f"w${expr.function.partition('_')[2].lower()}"
    if name not in aggregate.properties:
        raise ValidationError("A proctime window cannot provide a rowtime attribute.", range=expr.range)
    place = len(aggregate.schema) - len(aggregate.properties) + aggregate.properties.index(name)
    if name in ("w$start", "w$end") or (name == "w$rowtime" and expr.type.nullable):
        return InputRef(place, expr.type)
    mark = "ROWTIME" if aggregate.is_rowtime else "PROCTIME"
    return Call("CAST", (InputRef(place, property_type(name, aggregate.time_type)),), expr.type, (mark,))
