"""Registry of operators: one line for each class of specs.

The module of an operator has two functions. `build(spec, state, clock)` creates the operator. `code(spec)`
returns the lines that `explain --code` prints for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

from firesteel.errors import InternalError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.operator import Clock, Operator
from firesteel.runtime.spec.attached_window import WindowJoinSpec, WindowRankSpec
from firesteel.runtime.spec.correlate import CorrelateSpec
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinSpec, SemiJoinSpec
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, ResolvedLookupJoinSpec
from firesteel.runtime.spec.operators import (
    ChangelogNormalizeSpec,
    CurrentWatermarkSpec,
    DropUpdateBeforeSpec,
    ExpandSpec,
    GeneratedWatermarksSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    IncrementalGroupAggregateSpec,
    LocalGroupAggregateSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
    WatermarkAssignerSpec,
)
from firesteel.runtime.spec.over import OverAggregateSpec, SortedOverSpec, TemporalSortSpec
from firesteel.runtime.spec.probe import ProbeSpec
from firesteel.runtime.spec.rank import DeduplicateSpec, RankSpec
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.sink import (
    ConstraintEnforcerSpec,
    SinkUpsertMaterializerSpec,
    WatermarkCompactingSinkMaterializerSpec,
)
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec
from firesteel.runtime.spec.window import (
    GroupWindowAggregateSpec,
    LocalWindowAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
    WindowTableFunctionSpec,
)
from firesteel.runtime.state.base import StateBackend


@dataclass(frozen=True)
class Entry:
    """Module of an operator, and properties of the operator.

    Attributes:
        module: Module of the operator. It is loaded on first use, since imports cost start-up time.
        state: Version of the operator's state, 0 for no state.
        shapes_rows: Whether a job and its checkpoint must agree on the operator. If False, the operator may
            be added or removed while a checkpoint is kept, such as an operator that assigns watermarks.
        gains_by_more: Whether the operator takes less time for a row if it gets more rows at once, because it
            looks up each key once for all rows of the table.
    """

    module: str
    state: int = 0
    shapes_rows: bool = True
    gains_by_more: bool = False


OPERATORS: dict[type[OperatorSpec], Entry] = {
    CalcSpec: Entry("firesteel.runtime.operators.calc.calc"),
    ConstraintEnforcerSpec: Entry("firesteel.runtime.operators.sink.constraint_enforcer", shapes_rows=False),
    ChangelogNormalizeSpec: Entry("firesteel.runtime.operators.group.changelog_normalize", state=1),
    CorrelateSpec: Entry("firesteel.runtime.operators.correlate.correlate"),
    CurrentWatermarkSpec: Entry("firesteel.runtime.operators.calc.current_watermark"),
    DeduplicateSpec: Entry(
        "firesteel.runtime.operators.deduplicate.deduplicate", state=1, gains_by_more=True
    ),
    DropUpdateBeforeSpec: Entry("firesteel.runtime.operators.calc.drop_update_before"),
    ExpandSpec: Entry("firesteel.runtime.operators.calc.expand"),
    GeneratedWatermarksSpec: Entry("firesteel.runtime.operators.watermark.generated_watermarks", state=1),
    GlobalGroupAggregateSpec: Entry("firesteel.runtime.operators.group.global_group_aggregate", state=1),
    GroupAggregateSpec: Entry(
        "firesteel.runtime.operators.group.group_aggregate", state=1, gains_by_more=True
    ),
    GroupWindowAggregateSpec: Entry("firesteel.runtime.operators.window.group_window_aggregate", state=1),
    IncrementalGroupAggregateSpec: Entry(
        "firesteel.runtime.operators.group.incremental_group_aggregate", state=1
    ),
    IntervalJoinSpec: Entry(
        "firesteel.runtime.operators.interval_join.interval_join", state=1, gains_by_more=True
    ),
    JoinSpec: Entry("firesteel.runtime.operators.join.regular_join", state=1, gains_by_more=True),
    LocalGroupAggregateSpec: Entry("firesteel.runtime.operators.group.local_group_aggregate"),
    LocalWindowAggregateSpec: Entry("firesteel.runtime.operators.window.local_window_aggregate"),
    LookupJoinSpec: Entry("firesteel.connectors.lookup.operator", gains_by_more=True),
    MiniBatchAssignerSpec: Entry(
        "firesteel.runtime.operators.watermark.mini_batch_assigners", shapes_rows=False
    ),
    OverAggregateSpec: Entry("firesteel.runtime.operators.over.over_aggregate", state=1),
    ProbeSpec: Entry("firesteel.runtime.operators.probe.probe", shapes_rows=False),
    ResolvedLookupJoinSpec: Entry("firesteel.connectors.lookup.resolved_operator", state=1),
    RankSpec: Entry("firesteel.runtime.operators.rank.rank", state=1, gains_by_more=True),
    SemiJoinSpec: Entry("firesteel.runtime.operators.join.semi_join", state=1, gains_by_more=True),
    SequenceShiftSpec: Entry("firesteel.runtime.operators.set_op.sequence_shift", shapes_rows=False),
    SessionWindowAggregateSpec: Entry("firesteel.runtime.operators.window.session_window_aggregate", state=1),
    SessionWindowTableFunctionSpec: Entry(
        "firesteel.runtime.operators.window.session_window_table_function", state=1
    ),
    SinkUpsertMaterializerSpec: Entry("firesteel.runtime.operators.sink.sink_upsert_materializer", state=1),
    SortedOverSpec: Entry("firesteel.runtime.operators.over.sorted_over", state=1, gains_by_more=True),
    TemporalJoinSpec: Entry(
        "firesteel.runtime.operators.temporal_join.temporal_join", state=1, gains_by_more=True
    ),
    TemporalSortSpec: Entry("firesteel.runtime.operators.sort.temporal_sort", state=1),
    WindowAggregateSpec: Entry("firesteel.runtime.operators.window.window_aggregate", state=1),
    WindowJoinSpec: Entry("firesteel.runtime.operators.attached_window.window_join", state=1),
    WindowRankSpec: Entry("firesteel.runtime.operators.attached_window.window_rank", state=1),
    WindowTableFunctionSpec: Entry("firesteel.runtime.operators.window.window_table_function"),
    WatermarkAssignerSpec: Entry(
        "firesteel.runtime.operators.watermark.watermark_assigner", shapes_rows=False
    ),
    WatermarkCompactingSinkMaterializerSpec: Entry(
        "firesteel.runtime.operators.sink.watermark_compacting_sink_materializer", state=1
    ),
}
"""The operator of each class of specs."""


def entry(kind: type[OperatorSpec]) -> Entry:
    """Return the registry entry of a class of specs.

    Raises:
        InternalError: No operator runs this class.
    """
    if kind not in OPERATORS:
        raise InternalError(f"no operator runs {kind.__name__}")
    return OPERATORS[kind]


def build(spec: OperatorSpec, state: StateBackend | None, clock: Clock) -> Operator:
    """Return a new operator for a spec.

    Args:
        spec: Settings of the operator.
        state: State of the operator, None for an operator without state.
        clock: Processing time.
    """
    made: Operator = import_module(entry(type(spec)).module).build(spec, state, clock)
    return made


def code(spec: OperatorSpec) -> Iterable[str]:
    """Return the lines that `explain --code` prints: the operator's name, then its SQL or generated code."""
    lines: Iterable[str] = import_module(entry(type(spec)).module).code(spec)
    return lines
