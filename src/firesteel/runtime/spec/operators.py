"""What a job is, for those who run it: small frozen values that travel to the workers.

The planner's trees are cut at their exchanges into chains (job/lower/job.py). A chain reads a source or
other chains, runs its operators in order, and sends what is left on: to the next chain by key, to several
chains in its own task, or to a sink. Nothing here knows Spark or the planner.

A changes table is an Arrow table with the columns `$kind` (int8, the row kind's byte) and `$order`
(int64: the input row that caused it), then `f0`, `f1`, ... for the fields, and last, where it is needed,
`$place` (int64: the place among what that row caused; runtime/dataflow/sequence.py).
Its rows stand in the order in which Flink would emit them, within a key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction


@runtime_checkable
class OperatorSpec(Protocol):
    """Settings of one operator. Each class has a line in runtime/dataflow/operator_registry.py."""

    @property
    def reads_marks(self) -> bool:
        """Whether watermarks make the operator do something; else they only pass."""
        return False

    @property
    def port_order(self) -> tuple[int, ...]:
        """The ports of an operator of several inputs, first the one whose rows it processes first."""
        return (0,)

    @property
    def sets_timers(self) -> bool:
        """Whether the operator may have something to do at some processing time, though nothing comes."""
        return False


@dataclass(frozen=True)
class AggregateSpec:
    """One aggregate call: `function` is its plain name (SUM, MAX, $WELFORD_M2$1), `retract` whether
    the variant that takes retractions runs, args and filter positions of input fields. options: what is
    written with the call and is no argument, as in expr.nodes.AggregateCall. user: the function, where it
    is one of the user's."""

    function: str
    args: tuple[int, ...]
    arg_types: tuple[SqlType, ...]
    type: SqlType
    retract: bool = False
    distinct: bool = False
    filter: int | None = None
    options: tuple[str, ...] = ()
    user: UserFunction | None = None


@dataclass(frozen=True)
class GroupAggregateSpec(OperatorSpec):
    """GroupAggregate, record by record or in bundles (Flink: GroupAggFunction, MiniBatchGroupAggFunction).

    input_retracts: whether -U and -D may come, and so whether records are counted. count_star: the
    position in `calls` of a COUNT(*) that serves as the record counter, else None: a hidden one is
    kept. ttl: state retention in milliseconds, 0 for ever. bundle: rows after which a bundle ends, 0 for
    record by record. map_order: a bundle's keys go out in the order of Flink's map
    (runtime/aggregate/reduce/map_order.py). every_row: each row has its result, and a key without records
    goes on (the calls of a window of OVER).
    """

    keys: tuple[int, ...]
    calls: tuple[AggregateSpec, ...]
    input_types: tuple[SqlType, ...]
    input_retracts: bool
    emit_update_before: bool
    count_star: int | None = None
    ttl: int = 0
    state_id: str = "group-aggregate"
    bundle: int = 0
    map_order: bool = False
    every_row: bool = False

    def stateful(self, ttl: int, state_id: str) -> GroupAggregateSpec:
        """The same with its state kept for `ttl` milliseconds under a name."""
        return replace(self, ttl=ttl, state_id=state_id)

    @property
    def reads_marks(self) -> bool:
        return self.bundle > 0

    @property
    def records(self) -> str | None:
        """The part of the accumulator that counts records: the query's own COUNT(*), the sum of partial
        ones, or a hidden count after all calls. None over insert-only input."""
        if not self.input_retracts or self.every_row:
            return None
        if self.count_star is None:
            return f"count{len(self.calls)}"
        part = "sum" if self.calls[self.count_star].function == "$SUM0" else "count"
        return f"{part}{self.count_star}"

    @property
    def sorted_arguments(self) -> frozenset[int]:
        """The fields whose values are kept in order: the arguments of MIN and MAX under retraction."""
        calls = (call for call in self.calls if call.retract and call.function in ("MIN", "MAX"))
        return frozenset(call.args[0] for call in calls)


@dataclass(frozen=True)
class LocalGroupAggregateSpec(OperatorSpec):
    """Bundles of rows to one row of accumulators a key (runtime/aggregate/reduce/columns.py), without state.

    aggregate: keys and calls over the input.
    """

    aggregate: GroupAggregateSpec

    @property
    def reads_marks(self) -> bool:
        return self.aggregate.bundle > 0


@dataclass(frozen=True)
class GlobalGroupAggregateSpec(OperatorSpec):
    """Bundles of accumulators, as a local or an incremental aggregate gives them, merged by key.

    aggregate: the local phase's keys and calls, over its input. results: how many of the calls are
    columns of the output; what comes after them only counts records.
    """

    aggregate: GroupAggregateSpec
    results: int

    @property
    def reads_marks(self) -> bool:
        return self.aggregate.bundle > 0


@dataclass(frozen=True)
class IncrementalGroupAggregateSpec(OperatorSpec):
    """Bundles of a partial aggregate's accumulators to what they add to the final keys.

    aggregate: the partial aggregate, over its local phase's input. final_keys: positions among its keys.
    """

    aggregate: GroupAggregateSpec
    final_keys: tuple[int, ...]

    @property
    def reads_marks(self) -> bool:
        return self.aggregate.bundle > 0


@dataclass(frozen=True)
class ChangelogNormalizeSpec(OperatorSpec):
    """ChangelogNormalize by primary key; `condition` is DuckDB SQL over f0, f1, ... or None. bundle: rows
    after which a bundle ends, 0 for record by record."""

    keys: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    emit_update_before: bool
    condition: CalcSpec | None = None
    ttl: int = 0
    state_id: str = "changelog-normalize"
    bundle: int = 0

    @property
    def reads_marks(self) -> bool:
        return self.bundle > 0


@dataclass(frozen=True)
class DropUpdateBeforeSpec(OperatorSpec):
    """Discard -U rows."""


@dataclass(frozen=True)
class ExpandSpec(OperatorSpec):
    """Emit each row once for every copy.

    columns: for each column of the output the input field that it shows, None for none. shown: for each
    copy, the places in `columns` that it shows; its others are NULL. number_at: the place of the copy's
    number, and numbers: of the copies.
    """

    columns: tuple[int | None, ...]
    types: tuple[SqlType, ...]
    shown: tuple[tuple[int, ...], ...]
    number_at: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class WatermarkAssignerSpec(OperatorSpec):
    """Look at every row's time, and mark how far it has come.

    rowtime: position of the row time, a TIMESTAMP of at most three digits; name: its column's, table: the
    path of its table, for errors. watermark: gives one column, each row's watermark. interval: milliseconds
    of event time after which a mark is set, 0 for one at each advance. marks: whether anything behind
    looks at them (job/watermark_routing.py); else what fails on a row is found, and no more. may_fail:
    whether
    `watermark` may. idle: milliseconds without rows after which the source holds no time back, 0 for never.
    """

    rowtime: int
    watermark: CalcSpec
    interval: int
    name: str = ""
    table: str = ""
    marks: bool = True
    may_fail: bool = True
    idle: int = 0


@dataclass(frozen=True)
class GeneratedWatermarksSpec(OperatorSpec):
    """Watermarks from a WatermarkStrategy in Python (functions/python/watermarks.py), which is pickled.
    names: of the columns; the rest as for WatermarkAssignerSpec."""

    rowtime: int
    strategy: UserFunction
    names: tuple[str, ...]
    name: str = ""
    table: str = ""
    idle: int = 0
    state_id: str = "watermarks"


@dataclass(frozen=True)
class CurrentWatermarkSpec(OperatorSpec):
    """Project and filter by the watermark too: it is one field more that `calc` reads, of this type."""

    calc: CalcSpec
    field: int
    type: SqlType

    @property
    def reads_marks(self) -> bool:
        return True


@dataclass(frozen=True)
class MiniBatchAssignerSpec(OperatorSpec):
    """Mark the ends of mini-batches, `interval` milliseconds long, by the clock, or by row time where
    `row_time` says so."""

    interval: int
    row_time: bool = False
