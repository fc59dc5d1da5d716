"""Text of window operators in plans (Flink: RelExplainUtil.streamWindowAggregationToString).

The window's columns come after the calls: `start('w$) AS window_start`.
"""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.plan.nodes.aggregate.text import Attributes, local_calls, merged_calls, one_phase_calls
from firesteel.plan.nodes.window.physical import (
    GlobalWindowAggregate,
    GroupWindowAggregate,
    LocalWindowAggregate,
    WindowAggregate,
    WindowTableFunction,
)
from firesteel.plan.tree import Node

_GROUP_WINDOWS = {
    "TUMBLE": "TumblingGroupWindow",
    "HOP": "SlidingGroupWindow",
    "SESSION": "SessionGroupWindow",
}
_PROPERTIES = {"window_start": "start", "window_end": "end"}


def window_table_function(node: WindowTableFunction) -> Attributes:
    return [("window", node.windowing.text(_names(node.input)))]


def window_aggregate(node: WindowAggregate) -> Attributes:
    names = _names(node.input)
    calls = one_phase_calls(node.calls, node.retract, names)
    return _attributes(node, [names[k] for k in node.keys], [*calls, *_properties(node)], _outputs(node))


def local_window_aggregate(node: LocalWindowAggregate) -> Attributes:
    names = _names(node.input)
    keys = [names[k] for k in node.keys]
    end = _names(node)[-1]
    calls = local_calls(node.calls, node.retract, names, _names(node)[len(keys) : -1])
    return _attributes(node, keys, [*calls, f"slice_end('w$) AS {end}"])


def global_window_aggregate(node: GlobalWindowAggregate) -> Attributes:
    names = _names(node.input)
    keys = [names[k] for k in node.keys]
    calls = merged_calls(node.calls, node.retract, names[len(keys) : -1])
    return _attributes(node, keys, [*calls, *_properties(node)], _outputs(node))


def group_window_aggregate(node: GroupWindowAggregate) -> Attributes:
    names, outputs = _names(node.input), _names(node)
    keys = [names[k] for k in node.keys]
    calls = one_phase_calls(node.calls, (), names)
    calls += [f"{name.removeprefix('w$')}('w$)" for name in node.properties]
    named = [f"{call} AS {name}" for call, name in zip(calls, outputs[len(keys) :], strict=True)]
    found = [("groupBy", ", ".join(keys))] if keys else []
    lengths = [node.window.size] if node.window.step is None else [node.window.size, node.window.step]
    shown = ", ".join(["'w$", node.time_name, *map(str, lengths)])
    found.append(("window", f"{_GROUP_WINDOWS[node.window.function]}({shown})"))
    if node.properties:
        found.append(("properties", ", ".join(node.properties)))
    found.append(("select", ", ".join([*keys, *named])))
    return found if node.emit is None else [*found, ("emit", str(node.emit))]


def _outputs(node: WindowAggregate | GlobalWindowAggregate) -> list[str]:
    return [f.name for f in node.own_fields]


def _properties(node: WindowAggregate | GlobalWindowAggregate) -> list[str]:
    time = "rowtime" if node.windowing.is_rowtime else "proctime"
    return [f"{_PROPERTIES.get(name, time)}('w$)" for name in node.properties]


def _attributes(
    node: WindowAggregate | LocalWindowAggregate | GlobalWindowAggregate,
    keys: list[str],
    calls: list[str],
    outputs: Sequence[str] | None = None,
) -> Attributes:
    """Return the attributes that a plan prints for an aggregate of windows.

    If the planner has added a COUNT(*) after the query's calls, `calls` has one text more than there are
    names. As in Flink, the added COUNT(*) then gets the name of the first window column, and each window
    column the name of the next one. The last text is not printed:

        COUNT(count1$1) AS window_start, start('w$) AS window_end

    Args:
        node: The aggregate.
        keys: Names of the grouping columns.
        calls: Texts of the calls and of the window's columns.
        outputs: Names of all columns. None if `calls` have their names already.
    """
    if outputs is not None:
        calls = [f"{call} AS {name}" for call, name in zip(calls, outputs[len(keys) :], strict=False)]
    found = [("groupBy", ", ".join(keys))] if keys else []
    found.append(("window", node.windowing.text(_names(node.input))))
    return [*found, ("select", ", ".join([*keys, *calls]))]


def _names(node: Node) -> list[str]:
    return [f.name for f in node.schema]
