"""The operators that there are: one line each.

An operator's module has `build(spec, state, clock)`, which makes the operator, and `code(spec)`, the lines
that `explain --code` prints of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module

from firesteel.errors import InternalError
from firesteel.runtime.operators.base import Clock, Operator
from firesteel.runtime.over_spec import OverAggregateSpec, TemporalSortSpec
from firesteel.runtime.sharing_spec import SequenceShiftSpec
from firesteel.runtime.sink_spec import (
    ConstraintEnforcerSpec,
    SinkUpsertMaterializerSpec,
    WatermarkCompactingSinkMaterializerSpec,
)
from firesteel.runtime.spec import (
    CalcSpec,
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
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.window_spec import (
    GroupWindowAggregateSpec,
    LocalWindowAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
    WindowTableFunctionSpec,
)


@dataclass(frozen=True)
class Entry:
    """module: where the operator is; loaded when it is first needed, as imports cost start-up time.
    state: version of what it keeps, 0 for nothing. shapes_rows: whether rows are others behind it, so that a
    checkpoint made with it means nothing without it. gains_by_more: whether rows are cheaper the more of them
    come together, as each key is looked up once for all."""

    module: str
    state: int = 0
    shapes_rows: bool = True
    gains_by_more: bool = False


_HERE = __name__.rpartition(".")[0]

OPERATORS: dict[type[OperatorSpec], Entry] = {
    CalcSpec: Entry(f"{_HERE}.calc"),
    ConstraintEnforcerSpec: Entry(f"{_HERE}.constraint_enforcer", shapes_rows=False),
    ChangelogNormalizeSpec: Entry(f"{_HERE}.changelog_normalize", state=1),
    CurrentWatermarkSpec: Entry(f"{_HERE}.current_watermark"),
    DropUpdateBeforeSpec: Entry(f"{_HERE}.drop_update_before"),
    ExpandSpec: Entry(f"{_HERE}.expand"),
    GeneratedWatermarksSpec: Entry(f"{_HERE}.generated_watermarks", state=1),
    GlobalGroupAggregateSpec: Entry(f"{_HERE}.global_group_aggregate", state=1),
    GroupAggregateSpec: Entry(f"{_HERE}.group_aggregate", state=1, gains_by_more=True),
    GroupWindowAggregateSpec: Entry(f"{_HERE}.group_window_aggregate", state=1),
    IncrementalGroupAggregateSpec: Entry(f"{_HERE}.incremental_group_aggregate", state=1),
    LocalGroupAggregateSpec: Entry(f"{_HERE}.local_group_aggregate"),
    LocalWindowAggregateSpec: Entry(f"{_HERE}.local_window_aggregate"),
    MiniBatchAssignerSpec: Entry(f"{_HERE}.mini_batch_assigners", shapes_rows=False),
    OverAggregateSpec: Entry(f"{_HERE}.over_aggregate", state=1),
    SequenceShiftSpec: Entry(f"{_HERE}.sequence_shift", shapes_rows=False),
    SessionWindowAggregateSpec: Entry(f"{_HERE}.session_window_aggregate", state=1),
    SessionWindowTableFunctionSpec: Entry(f"{_HERE}.session_window_table_function", state=1),
    SinkUpsertMaterializerSpec: Entry(f"{_HERE}.sink_upsert_materializer", state=1),
    TemporalSortSpec: Entry(f"{_HERE}.temporal_sort", state=1),
    WindowAggregateSpec: Entry(f"{_HERE}.window_aggregate", state=1),
    WindowTableFunctionSpec: Entry(f"{_HERE}.window_table_function"),
    WatermarkAssignerSpec: Entry(f"{_HERE}.watermark_assigner", shapes_rows=False),
    WatermarkCompactingSinkMaterializerSpec: Entry(
        f"{_HERE}.watermark_compacting_sink_materializer", state=1
    ),
}


def entry(kind: type[OperatorSpec]) -> Entry:
    """The entry of a class of specs. Raises InternalError where there is none."""
    if kind not in OPERATORS:
        raise InternalError(f"no operator runs {kind.__name__}")
    return OPERATORS[kind]


def build(spec: OperatorSpec, state: StateBackend | None, clock: Clock) -> Operator:
    """The operator that a spec names."""
    made: Operator = import_module(entry(type(spec)).module).build(spec, state, clock)
    return made


def code(spec: OperatorSpec) -> Iterable[str]:
    """What the operator runs, in lines: its name, then the DuckDB SQL or the generated handler."""
    lines: Iterable[str] = import_module(entry(type(spec)).module).code(spec)
    return lines
