"""Physical plan nodes. They decide everything: the translation to Spark only reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firesteel.catalog.schema import Table
from firesteel.functions.expression.nodes import AggregateCall, Expr, Literal
from firesteel.plan.nodes.accumulators import accumulator_fields, buffers
from firesteel.plan.nodes.logical import expanded_fields, scanned_fields
from firesteel.plan.nodes.state_ttl import NO_TTL, StateTtl
from firesteel.plan.tree import Field, Node, PhaseNode, PhysicalNode


@dataclass(frozen=True)
class TableSourceScan(PhysicalNode):
    """Read a table. project: positions among the columns that it has to read; None reads every one.

    filter is the condition pushed to the source for EXPLAIN's sake, over the projected columns; the
    Calc above still holds it, as the sources of this version do not evaluate it.
    """

    table: Table
    project: tuple[int, ...] | None = None
    filter: tuple[Expr, ...] = ()
    limit: int | None = None
    """Number of rows after which the limit above needs no more. The limit itself holds it."""

    @property
    def schema(self) -> tuple[Field, ...]:
        return scanned_fields(self.table, self.project)


@dataclass(frozen=True)
class Calc(PhysicalNode):
    """Project and filter; the condition is over the input's columns."""

    input: Node
    exprs: tuple[Expr, ...]
    names: tuple[str, ...]
    condition: Expr | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return tuple(Field(n, e.type) for n, e in zip(self.names, self.exprs, strict=True))


@dataclass(frozen=True)
class Exchange(PhysicalNode):
    """Send rows to where their key lives; no keys: all to one place (distribution=[single]).

    one_task: all go to one place all the same, and plans do not say so
    (rules/mini_batch/keep_bundle_order.py).
    """

    input: Node
    keys: tuple[int, ...]
    one_task: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class GroupAggregate(PhysicalNode):
    """Keep one accumulator per key and publish each change of result. Flink: StreamPhysicalGroupAggregate.

    retract: for each call, whether its RETRACT variant runs. Output is keys, then calls. mini_batch:
    rows are worked off in bundles. partial_final: `PARTIAL` (by bucket) or `FINAL` where distinct calls
    were split. map_order: a bundle's keys go out in the order of Flink's map
    (rules/mini_batch/keep_bundle_order.py).
    state_ttl: how long a key is kept.
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

    Output is keys, then the accumulators (plan/nodes/accumulators.py). Where the input retracts, one of the
    calls is a plain COUNT(*): the query's, or one put after its calls. map_order: as a GroupAggregate's.
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
    """Merge accumulators by key and publish changes. Flink: StreamPhysicalGlobalGroupAggregate.

    keys: positions in the input, which are its first columns; its other columns are the accumulators of
    `calls`. The calls' arguments are columns of the local aggregate's input. Output is keys, then the
    first `results` calls: a count of records that the query did not ask for comes after them.
    index_of_count_star: shown where an incremental aggregate below counts the records for this one.
    map_order: as a GroupAggregate's.
    state_ttl: how long a key is kept.
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
    """Merge partial accumulators by key and bucket, and hand on what they add to the final key's.

    Flink: StreamPhysicalIncrementalGroupAggregate. keys, calls: of the partial aggregate, over its local
    phase's accumulators; final_keys: those of the keys that the query groups by. Output is the final
    keys, then the accumulators without the distinct values, which stay in its state. map_order: the
    partial accumulators are merged in the order of Flink's map.
    state_ttl: how long a key is kept.
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
    """Emit each row once per projection: the columns of the input, some NULL, the number of the projection,
    and perhaps columns that come a second time."""

    input: Node
    projects: tuple[tuple[Expr, ...], ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return expanded_fields(self.input.schema, self.projects)


@dataclass(frozen=True)
class ChangelogNormalize(PhysicalNode):
    """Turn an upsert stream, or one with duplicates, into a full changelog by its primary key.

    mini_batch: rows are worked off in bundles.
    """

    input: Node
    keys: tuple[int, ...]
    condition: Expr | None = None
    mini_batch: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class DropUpdateBefore(PhysicalNode):
    """Discard -U rows."""

    input: Node

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class WatermarkAssigner(PhysicalNode):
    """Derive watermarks from the rowtime column."""

    input: Node
    rowtime: int
    expression: Expr

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class MiniBatchAssigner(PhaseNode):
    """Mark the ends of mini-batches: interval in milliseconds, time is `ProcTime` or `RowTime`."""

    input: Node
    interval: int
    time: str

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class Union(PhysicalNode):
    """UNION ALL."""

    inputs: tuple[Node, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.inputs[0].schema


@dataclass(frozen=True)
class Values(PhysicalNode):
    """Literal rows. event_times, processing_times: the columns that carry these."""

    fields: tuple[Field, ...]
    rows: tuple[tuple[Literal, ...], ...]
    event_times: frozenset[int] = frozenset()
    processing_times: frozenset[int] = frozenset()

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True)
class Sink(PhysicalNode):
    """Write to a table. upsert_key: where it materializes, the positions by which the query knows its rows;
    () for none."""

    input: Node
    table: Table
    upsert_materialize: bool = False
    target_columns: tuple[int, ...] | None = None
    conflict: str | None = None
    upsert_key: tuple[int, ...] = ()

    has_output: ClassVar[bool] = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema
