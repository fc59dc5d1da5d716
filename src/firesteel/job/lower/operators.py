"""Translate each operator of a physical plan to its spec, with one function for each class of nodes.

The table at the end lists the functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.errors import InternalError, NotSupportedError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import Expr, InputRef, Literal
from firesteel.job.lower.aggregate import (
    OperatorOptions,
    global_aggregate,
    group_aggregate,
    incremental_aggregate,
    local_aggregate,
    mode_of,
    types_of,
)
from firesteel.job.lower.attached_window import window_deduplicate, window_join, window_rank
from firesteel.job.lower.correlate import correlate
from firesteel.job.lower.group_window import group_window_aggregate
from firesteel.job.lower.interval_join import interval_join
from firesteel.job.lower.join import join
from firesteel.job.lower.lookup_join import lookup_join
from firesteel.job.lower.over import over_aggregate, temporal_sort
from firesteel.job.lower.rank import limit, rank, sort_limit
from firesteel.job.lower.temporal_join import temporal_join
from firesteel.job.lower.watermark import watermark_assigner, with_current_watermark
from firesteel.job.lower.window import (
    global_window_aggregate,
    local_window_aggregate,
    window_aggregate,
    window_table_function,
)
from firesteel.plan.expressions.operations import expand_search
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.plan.nodes.join import physical as physical_join
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.over import physical as physical_over
from firesteel.plan.nodes.rank import physical as physical_rank
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.nodes.window_rank.physical import WindowDeduplicate, WindowRank
from firesteel.plan.tree import Node, walk
from firesteel.runtime.spec.operators import (
    ChangelogNormalizeSpec,
    CurrentWatermarkSpec,
    DropUpdateBeforeSpec,
    ExpandSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
)


def operator_of(node: Node, options: OperatorOptions) -> OperatorSpec | None:
    """Return the operator of a node, None for a node that only passes on rows.

    Raises:
        NotSupportedError: No host can run the node yet.
    """
    translate = TRANSLATIONS.get(type(node))
    if translate is None:
        raise NotSupportedError(f"{type(node).__name__} cannot run yet")
    operator = translate(node, options)
    if operator is not None and options.origins is not None:
        options.origins.append((operator, node))
    return operator


def _calc(node: physical.Calc, options: OperatorOptions) -> CalcSpec | CurrentWatermarkSpec:
    exprs = [expand_search(expr, lists=True) for expr in node.exprs]
    condition = None if node.condition is None else expand_search(node.condition, lists=True)
    exchanged = any(isinstance(below, physical.Exchange) for below in walk(node.input))
    timed = with_current_watermark(exprs, condition, node, options, exchanged)
    return timed or compile_calc(exprs, condition, types_of(node.input), None, options.time_zone, exchanged)


def _changelog_normalize(
    node: physical.ChangelogNormalize, options: OperatorOptions
) -> ChangelogNormalizeSpec:
    types = types_of(node.input)
    condition = None
    if node.condition is not None:
        condition = compile_calc(
            (), expand_search(node.condition, lists=True), types, None, options.time_zone
        )
    return ChangelogNormalizeSpec(
        keys=node.keys,
        input_types=types,
        emit_update_before=mode_of(node).update_before,
        condition=condition,
        ttl=options.ttl,
        state_id=options.state_id("changelog-normalize"),
        bundle=options.bundle if node.mini_batch else 0,
    )


def _drop_update_before(node: physical.DropUpdateBefore, options: OperatorOptions) -> DropUpdateBeforeSpec:
    return DropUpdateBeforeSpec()


def _expand(node: physical.Expand, options: OperatorOptions) -> ExpandSpec:
    """Return the spec of an Expand.

    An Expand copies each row for several grouping sets. An output column has an input field or NULL,
    depending on the copy. One output column has the number of the copy.

    Raises:
        InternalError: The Expand has another form.
    """
    columns: list[int | None] = [None] * len(node.schema)
    shown = []
    for cells in node.projects:
        fields = {place: cell.index for place, cell in enumerate(cells) if isinstance(cell, InputRef)}
        for place, index in fields.items():
            if columns[place] not in (None, index):
                raise InternalError(f"column {place} of an Expand shows more than one field")
            columns[place] = index
        shown.append(tuple(fields))
    at = next(i for i, e in enumerate(node.projects[0]) if isinstance(e, Literal) and e.value is not None)
    numbers = tuple(_number(cells[at]) for cells in node.projects)
    return ExpandSpec(tuple(columns), types_of(node), tuple(shown), at, numbers)


def _number(cell: Expr) -> int:
    if not isinstance(cell, Literal) or not isinstance(cell.value, int):
        raise InternalError("a copy of an Expand has no number")
    return cell.value


def _mini_batch_assigner(node: physical.MiniBatchAssigner, options: OperatorOptions) -> MiniBatchAssignerSpec:
    return MiniBatchAssignerSpec(node.interval, node.time == "RowTime")


TRANSLATIONS: dict[type[Node], Callable[[Any, OperatorOptions], OperatorSpec | None]] = {
    physical.Calc: _calc,
    physical.ChangelogNormalize: _changelog_normalize,
    physical.DropUpdateBefore: _drop_update_before,
    physical.Expand: _expand,
    physical.GlobalGroupAggregate: global_aggregate,
    physical.GroupAggregate: group_aggregate,
    physical.IncrementalGroupAggregate: incremental_aggregate,
    physical.LocalGroupAggregate: local_aggregate,
    physical.MiniBatchAssigner: _mini_batch_assigner,
    WindowDeduplicate: window_deduplicate,
    WindowJoin: window_join,
    WindowRank: window_rank,
    physical_windows.GlobalWindowAggregate: global_window_aggregate,
    physical_windows.GroupWindowAggregate: group_window_aggregate,
    physical_windows.LocalWindowAggregate: local_window_aggregate,
    physical_windows.WindowAggregate: window_aggregate,
    physical_windows.WindowTableFunction: window_table_function,
    physical.WatermarkAssigner: watermark_assigner,
    Correlate: correlate,
    physical_join.Join: join,
    IntervalJoin: interval_join,
    LookupJoin: lookup_join,
    TemporalJoin: temporal_join,
    physical_rank.Limit: limit,
    physical_rank.Rank: rank,
    physical_rank.SortLimit: sort_limit,
    physical_over.OverAggregate: over_aggregate,
    physical_over.TemporalSort: temporal_sort,
}
