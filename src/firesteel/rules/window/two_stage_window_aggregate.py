"""Split an aggregate of event-time windows into two phases: by slice before the exchange, then by key.

    WindowAggregate  Exchange(k)   ->   GlobalWindowAggregate  Exchange(k)  LocalWindowAggregate

Flink: TwoStageOptimizedWindowAggregateRule; it needs no mini-batches. The rule runs after the changelog modes
are known: the stream between the phases has the mode of the aggregate's input.
"""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes.accumulators import COUNT, is_mergeable, record_count
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.window.physical import GlobalWindowAggregate, LocalWindowAggregate, WindowAggregate
from firesteel.plan.tree import Node
from firesteel.rules.mini_batch.mini_batch_options import is_one_phase


def two_stage_window_aggregate(node: Node, configuration: Mapping[str, str]) -> Node:
    """Split a window aggregate. Other nodes stay as they are."""
    if not isinstance(node, WindowAggregate) or not isinstance(node.input, Exchange):
        return node
    windowing = node.windowing
    if not windowing.is_rowtime or windowing.window.function == "SESSION":
        return node
    if not all(map(is_mergeable, node.calls)) or is_one_phase(configuration):
        return node
    mode = node.input.mode
    calls, retract = _with_record_count(node, mode is not None and mode.has_retraction)
    local = LocalWindowAggregate(node.input.input, node.keys, calls, windowing, retract, mode=mode)
    keys = tuple(range(len(node.keys)))
    end = "win_end" if windowing.column("time_col") is None else "slice_end"
    return GlobalWindowAggregate(
        Exchange(local, keys, mode=mode),
        keys,
        calls,
        windowing.at((end, len(local.schema) - 1)),
        node.properties,
        retract,
        len(node.calls),
        outputs=node.outputs,
        mode=node.mode,
    )


def _with_record_count(
    node: WindowAggregate, retracting: bool
) -> tuple[tuple[AggregateCall, ...], tuple[bool, ...]]:
    """Return the aggregate calls, and for each call whether rows may be retracted from its accumulator.

    A window can be without rows if the input has retractions, or if it is a HOP window. Then a COUNT(*) is
    needed, whose result tells which windows have rows. It is added as the last call, unless a call is a
    COUNT(*) already.
    """
    if not retracting and node.windowing.window.function != "HOP":
        return node.calls, node.retract
    if record_count(node.calls) is not None:
        return node.calls, node.retract
    return (*node.calls, AggregateCall("COUNT", (), COUNT, "")), (*node.retract, retracting)
