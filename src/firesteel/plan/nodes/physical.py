"""Physical plan nodes. They have all that the translation to Spark needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firesteel.catalog.schema import Table
from firesteel.functions.expression.nodes import AggregateCall, Expr, Literal
from firesteel.plan.nodes.accumulators import accumulator_fields, buffers
from firesteel.plan.nodes.logical import expanded_fields, scanned_fields
from firesteel.plan.nodes.state_ttl import NO_TTL, StateTtl
from firesteel.plan.tree import Field, Node, PhaseNode, PhysicalNode, SameColumns


@dataclass(frozen=True)
class TableSourceScan(PhysicalNode):
    """Read a table.

    Attributes:
        table: The table.
        project: Positions of the columns to read. None for all.
        filter: Conditions pushed to the source, over the projected columns. Plans show them. They drop no
            rows: the Calc above has the same conditions and evaluates them.
    """

    table: Table
    project: tuple[int, ...] | None = None
    filter: tuple[Expr, ...] = ()
    limit: int | None = None
    """Number of rows that the limit above needs. The limit itself is still evaluated above."""

    @property
    def schema(self) -> tuple[Field, ...]:
        return scanned_fields(self.table, self.project)


@dataclass(frozen=True)
class Calc(PhysicalNode):
    """Project and filter. The condition is over the input's columns."""

    input: Node
    exprs: tuple[Expr, ...]
    names: tuple[str, ...]
    condition: Expr | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return tuple(Field(n, e.type) for n, e in zip(self.names, self.exprs, strict=True))


@dataclass(frozen=True)
class Exchange(SameColumns, PhysicalNode):
    """Send rows to tasks by their keys. Without keys, all rows go to one task (distribution=[single]).

    `one_task`: whether all rows go to one task in spite of keys, which plans do not show
    (rules/mini_batch/keep_bundle_order.py).
    """

    keys: tuple[int, ...]
    one_task: bool = False


@dataclass(frozen=True)
class GroupAggregate(PhysicalNode):
    """Keep an accumulator for each key, and send each change of a result.

    Flink: StreamPhysicalGroupAggregate.

    The output is the keys, then the results of the calls.

    Attributes:
        input: The rows, after an exchange by the keys.
        keys: Positions of the grouping columns.
        calls: The aggregate functions.
        retract: For each call, whether it also takes rows back. Plans show such a call as `SUM_RETRACT`.
        mini_batch: Whether rows are processed in bundles.
        partial_final: `PARTIAL` (grouped by bucket) or `FINAL` if DISTINCT calls were split, else None.
        map_order: Whether the results of a bundle are sent in the order in which Flink's operator sends them:
            that of the keys in a Java HashMap (rules/mini_batch/keep_bundle_order.py). If False, any order.
        state_ttl: STATE_TTL hint of the query.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    retract: tuple[bool, ...] = ()
    mini_batch: bool = False
    partial_final: str | None = None
    map_order: bool = False
    state_ttl: StateTtl = NO_TTL

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        return tuple(columns[k] for k in self.keys) + tuple(Field(c.name, c.type) for c in self.calls)


@dataclass(frozen=True)
class LocalGroupAggregate(PhaseNode):
    """Aggregate bundles before the exchange, without state. Flink: StreamPhysicalLocalGroupAggregate.

    The output is the keys, then the accumulators (plan/nodes/accumulators.py). If the input has retractions,
    one of the calls is a plain COUNT(*): a call of the query, or a call that the planner adds at the end.
    `map_order`: whether the keys of a bundle are sent in the order in which Flink's operator sends them, that
    of a Java HashMap. If False, in any order.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    retract: tuple[bool, ...]
    partial_final: str | None = None
    map_order: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        return tuple(columns[k] for k in self.keys) + accumulator_fields(self.calls, self.retract, columns)


@dataclass(frozen=True)
class GlobalGroupAggregate(PhaseNode):
    """Merge accumulators by key and send changes. Flink: StreamPhysicalGlobalGroupAggregate.

    The output is the keys, then the results of the query's calls.

    Attributes:
        keys: Positions of the keys, which are the first columns of the input. The others are accumulators.
        calls: The aggregate functions. Their arguments are columns of the local aggregate's input.
        results: Number of calls of the query, which are the first in `calls`. A COUNT(*) that the planner has
            added may follow them, by which the operator knows whether a key still has rows. The output has no
            column for the added COUNT(*).
        index_of_count_star: Position in `calls` of the COUNT(*) by which the operator knows whether a key
            still has rows. Plans print this position. It is set only if the input is an
            IncrementalGroupAggregate with retractions and the query itself has a COUNT(*). Otherwise None:
            the translation to operators then looks for the COUNT(*).
        map_order: Whether the results of a bundle are sent in the order in which Flink's operator sends them:
            that of the keys in a Java HashMap. If False, in any order.
        state_ttl: STATE_TTL hint of the query.
    """

    input: Node
    keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    retract: tuple[bool, ...]
    results: int
    partial_final: str | None = None
    index_of_count_star: int | None = None
    map_order: bool = False
    state_ttl: StateTtl = NO_TTL

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        shown = self.calls[: self.results]
        return tuple(columns[k] for k in self.keys) + tuple(Field(c.name, c.type) for c in shown)


@dataclass(frozen=True)
class IncrementalGroupAggregate(PhaseNode):
    """Merge accumulators by group key and bucket, and send accumulators by group key alone.

    Flink: StreamPhysicalIncrementalGroupAggregate. A sent accumulator has only what one bundle adds to a
    group; the GlobalGroupAggregate above merges it into its state. The output is the final keys, then the
    accumulators. The distinct values of DISTINCT calls stay in the state and are not sent.

    Attributes:
        keys: Positions of the group keys and of the buckets in the input.
        calls: Calls of the aggregate by group key and bucket. Their arguments are columns of the input of
            its local phase.
        final_keys: Positions of the group keys of the query in the input, a part of `keys`.
        map_order: Whether the keys of a bundle are processed in the order in which the Java HashMap of
            Flink's operator has them.
        state_ttl: STATE_TTL hint of the query.
    """

    input: Node
    keys: tuple[int, ...]
    final_keys: tuple[int, ...]
    calls: tuple[AggregateCall, ...]
    retract: tuple[bool, ...]
    map_order: bool = False
    state_ttl: StateTtl = NO_TTL

    @property
    def schema(self) -> tuple[Field, ...]:
        columns = self.input.schema
        first = len(self.keys)
        width = sum(len(buffers(c, r)) for c, r in zip(self.calls, self.retract, strict=True))
        return tuple(columns[k] for k in self.final_keys) + columns[first : first + width]


@dataclass(frozen=True)
class Expand(PhysicalNode):
    """Send a copy of each row for each projection.

        columns a, b, grouping sets (a), (b)   ->   projections (a, NULL, 1) and (NULL, b, 2)

    A projection has all columns of the input, some replaced by NULL, then the number of the copy. If a call
    reads a column that is NULL in some copies, the column follows once more, unchanged.
    """

    input: Node
    projects: tuple[tuple[Expr, ...], ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return expanded_fields(self.input.schema, self.projects)


@dataclass(frozen=True)
class ChangelogNormalize(SameColumns, PhysicalNode):
    """Turn an upsert stream, or one with duplicates, into a full changelog by its primary key.

    `mini_batch`: whether rows are processed in bundles.
    """

    keys: tuple[int, ...]
    condition: Expr | None = None
    mini_batch: bool = False


@dataclass(frozen=True)
class DropUpdateBefore(SameColumns, PhysicalNode):
    """Discard -U rows."""


@dataclass(frozen=True)
class WatermarkAssigner(SameColumns, PhysicalNode):
    """Compute watermarks from the row time column."""

    rowtime: int
    expression: Expr


@dataclass(frozen=True)
class MiniBatchAssigner(SameColumns, PhaseNode):
    """Send a watermark at the end of each mini-batch, by which operators above end their bundles.

    The interval is in milliseconds, the time is `ProcTime` or `RowTime`.
    """

    interval: int
    time: str


@dataclass(frozen=True)
class Union(PhysicalNode):
    """UNION ALL."""

    inputs: tuple[Node, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.inputs[0].schema


@dataclass(frozen=True)
class Values(PhysicalNode):
    """Literal rows. `event_times`, `processing_times`: positions of the time attributes."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Literal, ...], ...]
    event_times: frozenset[int] = frozenset()
    processing_times: frozenset[int] = frozenset()

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True)
class Sink(SameColumns, PhysicalNode):
    """Write to a table.

    `upsert_key` has the positions of the columns by which the query identifies its rows, if the sink
    materializes (`upsert_materialize`). Otherwise it is ().
    """

    table: Table
    upsert_materialize: bool = False
    target_columns: tuple[int, ...] | None = None
    conflict: str | None = None
    upsert_key: tuple[int, ...] = ()

    has_output: ClassVar[bool] = False
