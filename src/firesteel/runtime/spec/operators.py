"""Serializable settings of operators, sent to the workers as small frozen values.

The planner's trees are cut at their exchanges into chains (job/lower/job.py). A chain reads a source or other
chains, runs its operators in order, and sends the rows on. They go to the next chain by key, to several
chains in the same task, or to a sink. Nothing here depends on Spark or the planner.

A changes table is an Arrow table with these columns:

- `$kind` (int8): the byte of the row kind.
- `$order` (int64): the sequence, which is the number of the input row that caused the change.
- `f0`, `f1`, ...: the fields.
- `$place` (int64), only where needed: the sub-sequence, the number among the changes of one input row
  (runtime/dataflow/sequence.py).

Within a key, the rows have the order in which Flink would emit them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.types.sql import SqlType
from firesteel.types.user_function import UserFunction


@runtime_checkable
class OperatorSpec(Protocol):
    """Settings of one operator. Each class has a line in runtime/dataflow/operator_registry.py.

    Example:
        @dataclass(frozen=True)
        class DelaySpec(OperatorSpec):
            '''Send rows on after some milliseconds of processing time.'''

            delay: int

            @property
            def sets_timers(self) -> bool:
                return True
    """

    @property
    def reads_watermarks(self) -> bool:
        """Whether watermarks make the operator act. If False, they only pass through."""
        return False

    @property
    def port_order(self) -> tuple[int, ...]:
        """Ports of an operator with several inputs, in the order in which it processes their rows."""
        return (0,)

    @property
    def sets_timers(self) -> bool:
        """Whether the operator may have to run at some processing time, even without input."""
        return False


@dataclass(frozen=True)
class AggregateSpec:
    """One aggregate call.

    Attributes:
        function: Name of the function, such as SUM, or $WELFORD_M2$1 for an internal function.
        args: Positions of the arguments among the input fields.
        arg_types: Types of the arguments.
        type: Type of the result.
        retract: Whether the variant that accepts retractions runs.
        distinct: Whether the call has DISTINCT.
        filter: Position of the input field of FILTER, None for no filter.
        options: Clauses of the call, such as IGNORE NULLS (AggregateCall in functions/expression/nodes.py).
        user: The user-defined function, None for a built-in one.
    """

    function: str
    args: tuple[int, ...]
    arg_types: tuple[SqlType, ...]
    type: SqlType
    retract: bool = False
    distinct: bool = False
    filter: int | None = None
    options: tuple[str, ...] = ()
    user: UserFunction | None = None


_GROWING = frozenset(
    (
        *("LISTAGG", "ARRAY_AGG", "COLLECT", "JSON_ARRAYAGG", "JSON_OBJECTAGG"),
        *("BITMAP_BUILD_AGG", "BITMAP_AND_AGG", "BITMAP_OR_AGG", "BITMAP_XOR_AGG"),
    )
)
"""Functions whose results grow with the number of rows."""


@dataclass(frozen=True)
class GroupAggregateSpec(OperatorSpec):
    """GroupAggregate, record by record or in bundles (Flink: GroupAggFunction, MiniBatchGroupAggFunction).

    Attributes:
        keys: Positions of the key fields.
        calls: The aggregate calls.
        input_types: Types of the input fields.
        input_retracts: Whether -U and -D may come. Then the operator counts the records of each key: rows
            added minus rows retracted.
        emit_update_before: Whether the output has -U.
        count_star: Position in `calls` of a COUNT(*) that counts the records. None adds a hidden count.
        ttl: State retention in milliseconds, 0 for no expiry.
        state_id: Name of the state.
        bundle: Number of rows after which a bundle ends, 0 for record by record.
        map_order: Whether the results of a bundle are sent in the order of Flink, which gathers a bundle in
            a Java HashMap by key and iterates over it (runtime/aggregate/reduce/map_order.py).
        every_row: True for the calls of an OVER window. Then each input row has a result, even if the result
            does not change. The accumulator of a key is kept even if all its records are retracted.
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
        """Return the spec with its state kept for `ttl` milliseconds under the name `state_id`."""
        return replace(self, ttl=ttl, state_id=state_id)

    @property
    def reads_watermarks(self) -> bool:
        return self.bundle > 0

    @property
    def records(self) -> str | None:
        """Return the name of the accumulator's column with the number of records: rows added minus retracted.

        The column belongs to the query's own COUNT(*), to the sum of partial counts, or to a hidden count
        after all calls. None if records are not counted: for insert-only input, and with `every_row`.
        """
        if not self.input_retracts or self.every_row:
            return None
        if self.count_star is None:
            return f"count{len(self.calls)}"
        part = "sum" if self.calls[self.count_star].function == "$SUM0" else "count"
        return f"{part}{self.count_star}"

    @property
    def growing_calls(self) -> tuple[int, ...]:
        """Return the numbers of the calls whose results grow with the rows of a key."""
        return tuple(i for i, call in enumerate(self.calls) if call.function in _GROWING and not call.user)

    @property
    def sorted_arguments(self) -> frozenset[int]:
        """Return the positions, among the input fields, of the arguments of MIN and MAX with retractions.

        The state keeps the values of these arguments, sorted.
        """
        calls = (call for call in self.calls if call.retract and call.function in ("MIN", "MAX"))
        return frozenset(call.args[0] for call in calls)


@dataclass(frozen=True)
class LocalGroupAggregateSpec(OperatorSpec):
    """Local phase without state: a bundle of rows becomes one row of accumulators for each key.

    The layout of the accumulators is in runtime/aggregate/reduce/columns.py.

    Attributes:
        aggregate: Keys and calls over the input.
    """

    aggregate: GroupAggregateSpec

    @property
    def reads_watermarks(self) -> bool:
        return self.aggregate.bundle > 0


@dataclass(frozen=True)
class GlobalGroupAggregateSpec(OperatorSpec):
    """Global phase: merge by key the accumulators that a local or incremental phase sends.

    Attributes:
        aggregate: Keys and calls of the local phase, over its input.
        results: Number of calls that are output columns. The calls after them only count records.
    """

    aggregate: GroupAggregateSpec
    results: int

    @property
    def reads_watermarks(self) -> bool:
        return self.aggregate.bundle > 0


@dataclass(frozen=True)
class IncrementalGroupAggregateSpec(OperatorSpec):
    """Incremental phase: merge accumulators by partial key (final key and bucket) to one for each final key.

    Attributes:
        aggregate: The partial aggregate, over the input of its local phase.
        final_keys: Positions of the final keys among the keys of the partial aggregate.
    """

    aggregate: GroupAggregateSpec
    final_keys: tuple[int, ...]

    @property
    def reads_watermarks(self) -> bool:
        return self.aggregate.bundle > 0


@dataclass(frozen=True)
class ChangelogNormalizeSpec(OperatorSpec):
    """ChangelogNormalize by primary key.

    Attributes:
        keys: Positions of the primary key.
        input_types: Types of the input fields.
        emit_update_before: Whether the output has -U.
        condition: Filter in DuckDB SQL over f0, f1, ..., None for no filter.
        ttl: State retention in milliseconds, 0 for no expiry.
        state_id: Name of the state.
        bundle: Number of rows after which a bundle ends, 0 for record by record.
    """

    keys: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    emit_update_before: bool
    condition: CalcSpec | None = None
    ttl: int = 0
    state_id: str = "changelog-normalize"
    bundle: int = 0

    @property
    def reads_watermarks(self) -> bool:
        return self.bundle > 0


@dataclass(frozen=True)
class DropUpdateBeforeSpec(OperatorSpec):
    """Drop all -U rows."""


@dataclass(frozen=True)
class ExpandSpec(OperatorSpec):
    """Send several copies of each row. Each copy has some of the columns, and NULL in the others.

    Attributes:
        columns: For each output column the input field, None for no field.
        types: Types of the output columns.
        shown: For each copy, the positions in `columns` that it shows. Its other columns are NULL.
        number_at: Position of the column with the number of the copy.
        numbers: Value of that column for each copy.
    """

    columns: tuple[int | None, ...]
    types: tuple[SqlType, ...]
    shown: tuple[tuple[int, ...], ...]
    number_at: int
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class WatermarkAssignerSpec(OperatorSpec):
    """Compute the watermark of every row and send watermarks.

    Attributes:
        rowtime: Position of the row time, a TIMESTAMP with at most three fractional digits.
        watermark: Expression with one column, the watermark of each row.
        interval: Milliseconds of event time between two watermarks, 0 to send every advance.
        name: Name of the row time column, for errors.
        table: Path of the table, for errors.
        marks: Whether an operator after this one reads watermarks (job/watermark_routing.py). If False, no
            watermarks are sent. `watermark` is then computed only if `may_fail`, so that the job fails on a
            row for which the expression fails.
        may_fail: Whether the expression `watermark` can fail on a row.
        idle: Milliseconds without rows after which the source is idle: operators no longer wait for its
            watermark. 0 for never.
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
    """Send the watermarks of a pickled Python WatermarkStrategy (functions/python/watermarks.py).

    Attributes:
        rowtime: Position of the row time.
        strategy: The pickled strategy.
        names: Names of the columns.
        name: Name of the row time column, for errors.
        table: Path of the table, for errors.
        idle: Milliseconds without rows after which the source is idle, 0 for never.
        state_id: Name of the state.
    """

    rowtime: int
    strategy: UserFunction
    names: tuple[str, ...]
    name: str = ""
    table: str = ""
    idle: int = 0
    state_id: str = "watermarks"


@dataclass(frozen=True)
class CurrentWatermarkSpec(OperatorSpec):
    """Project and filter with the current watermark as one more input field.

    Attributes:
        calc: Projection and filter.
        field: Position of the field with the watermark.
        type: Type of that field.
    """

    calc: CalcSpec
    field: int
    type: SqlType

    @property
    def reads_watermarks(self) -> bool:
        return True


@dataclass(frozen=True)
class MiniBatchAssignerSpec(OperatorSpec):
    """Mark the ends of mini-batches with watermarks.

    Attributes:
        interval: Length of a mini-batch in milliseconds.
        row_time: Whether row time ends mini-batches. If False, processing time does.
    """

    interval: int
    row_time: bool = False
