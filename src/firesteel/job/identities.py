"""Identities of spec classes in checkpoints: constant strings, independent of class names and modules.

A checkpoint's file `firesteel.json` describes the job spec by spec. Each spec has the identity of its class,
and its fields by name. An identity never changes: if you rename a class, keep its string here. Names of
fields and of enum members are identities too. tests/spark/checkpoint/test_identities.py holds them all.
"""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.changelog import ChangelogMode
from firesteel.errors import InternalError
from firesteel.functions.duckdb.calc_spec import CalcSpec, ValueSet
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output
from firesteel.runtime.spec.attached_window import (
    AttachedWindow,
    WindowJoinInput,
    WindowJoinSpec,
    WindowRankSpec,
)
from firesteel.runtime.spec.correlate import CorrelateSpec
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinInput, JoinSpec, SemiJoinSpec
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, LookupTable, ResolvedLookupJoinSpec, Retry
from firesteel.runtime.spec.operators import (
    AggregateSpec,
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
    WatermarkAssignerSpec,
)
from firesteel.runtime.spec.over import OverAggregateSpec, OverFrame, SortedOverSpec, TemporalSortSpec
from firesteel.runtime.spec.probe import ProbeSpec
from firesteel.runtime.spec.rank import DeduplicateSpec, RankSpec
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.sink import (
    ConstraintEnforcerSpec,
    SinkUpsertMaterializerSpec,
    WatermarkCompactingSinkMaterializerSpec,
)
from firesteel.runtime.spec.tables import LateInput, ScanSpec, SinkSpec, ValuesSpec
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec, TimedInput
from firesteel.runtime.spec.window import (
    Emit,
    GroupWindowAggregateSpec,
    LocalWindowAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindows,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
    WindowsSpec,
    WindowTableFunctionSpec,
    WindowTime,
)
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.constraints import Constraints

IDENTITIES: Mapping[type, str] = {
    AggregateSpec: "AggregateSpec",
    AttachedWindow: "AttachedWindow",
    CalcSpec: "CalcSpec",
    ChainSpec: "ChainSpec",
    ChangelogMode: "ChangelogMode",
    ChangelogNormalizeSpec: "ChangelogNormalizeSpec",
    ConstraintEnforcerSpec: "ConstraintEnforcerSpec",
    Constraints: "Constraints",
    CorrelateSpec: "CorrelateSpec",
    CurrentWatermarkSpec: "CurrentWatermarkSpec",
    DeduplicateSpec: "DeduplicateSpec",
    DropUpdateBeforeSpec: "DropUpdateBeforeSpec",
    Emit: "Emit",
    ExpandSpec: "ExpandSpec",
    GeneratedWatermarksSpec: "GeneratedWatermarksSpec",
    GlobalGroupAggregateSpec: "GlobalGroupAggregateSpec",
    GroupAggregateSpec: "GroupAggregateSpec",
    GroupWindowAggregateSpec: "GroupWindowAggregateSpec",
    IncrementalGroupAggregateSpec: "IncrementalGroupAggregateSpec",
    Input: "Input",
    IntervalJoinSpec: "IntervalJoinSpec",
    JobSpec: "JobSpec",
    JoinInput: "JoinInput",
    JoinSpec: "JoinSpec",
    LateInput: "LateInput",
    LocalGroupAggregateSpec: "LocalGroupAggregateSpec",
    LocalWindowAggregateSpec: "LocalWindowAggregateSpec",
    LookupJoinSpec: "LookupJoinSpec",
    LookupTable: "LookupTable",
    MiniBatchAssignerSpec: "MiniBatchAssignerSpec",
    Output: "Output",
    OverAggregateSpec: "OverAggregateSpec",
    OverFrame: "OverFrame",
    ProbeSpec: "ProbeSpec",
    RankSpec: "RankSpec",
    ResolvedLookupJoinSpec: "ResolvedLookupJoinSpec",
    Retry: "LookupRetry",
    ScanSpec: "ScanSpec",
    SemiJoinSpec: "SemiJoinSpec",
    SequenceShiftSpec: "SequenceShiftSpec",
    SessionWindowAggregateSpec: "SessionWindowAggregateSpec",
    SessionWindowTableFunctionSpec: "SessionWindowTableFunctionSpec",
    SessionWindows: "SessionWindows",
    SinkSpec: "SinkSpec",
    SinkUpsertMaterializerSpec: "SinkUpsertMaterializerSpec",
    SortOrder: "SortOrder",
    SortedOverSpec: "SortedOverSpec",
    TemporalJoinSpec: "TemporalJoinSpec",
    TemporalSortSpec: "TemporalSortSpec",
    TimedInput: "TimedInput",
    ValueSet: "ValueSet",
    ValuesSpec: "ValuesSpec",
    WatermarkAssignerSpec: "WatermarkAssignerSpec",
    WatermarkCompactingSinkMaterializerSpec: "WatermarkCompactingSinkMaterializerSpec",
    WindowAggregateSpec: "WindowAggregateSpec",
    WindowJoinInput: "WindowJoinInput",
    WindowJoinSpec: "WindowJoinSpec",
    WindowRankSpec: "WindowRankSpec",
    WindowTableFunctionSpec: "WindowTableFunctionSpec",
    WindowTime: "WindowTime",
    WindowsSpec: "WindowsSpec",
}
"""The identity of each spec class."""


def identity(kind: type) -> str:
    """Return the identity of a spec class. A class of another package has its name as identity.

    Raises:
        InternalError: A class of Firesteel has no identity.
    """
    if kind in IDENTITIES:
        return IDENTITIES[kind]
    if kind.__module__.partition(".")[0] == __name__.partition(".")[0]:
        raise InternalError(f"{kind.__name__} has no identity: give it a line in job/identities.py")
    return kind.__name__
