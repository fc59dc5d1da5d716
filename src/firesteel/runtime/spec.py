"""What a job is, for those who run it: small frozen values that travel to the workers.

The planner's tree is cut at its exchanges into chains (spark/translate.py). A chain reads a source or
the packets of other chains, runs its operators in order, and sends what is left on: to the next chain
by key, or to the sink. Nothing here knows Spark or the planner.

A changes table is an Arrow table with the columns `$kind` (int8, the row kind's byte) and `$order`
(int64: where the input row that caused it stood in its source), then `f0`, `f1`, ... for the fields.
Its rows stand in the order in which Flink would emit them, within a key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from firesteel.types.constraints import Constraints
from firesteel.types.sql import SqlType

KIND = "$kind"
ORDER = "$order"
ORDER_ROW_BITS = 36
"""`$order` is (ordinal of the split << ORDER_ROW_BITS) + (row's number in the split). At an exchange
behind an operator that gives several changes for a row, orders are multiplied (runtime/packets.py)."""


def field(index: int) -> str:
    """The name of field `index` in a changes table."""
    return f"f{index}"


@dataclass(frozen=True)
class UserFunction:
    """A function of the user's, as workers find it (udf/load.py).

    name: as the query writes it. code: `module:name`, or `pickle:` and base64. folder: the one that its
    module lies in.
    """

    name: str
    code: str
    folder: str = ""


@dataclass(frozen=True)
class CalcSpec:
    """Project and filter. The texts are DuckDB SQL over f0, f1, ...; `functions` names the Python
    functions of expr's table that they call and the worker must register first, `user` those of the
    user's, by their signatures. condition_steps, steps: columns to compute before the condition and before
    the projection, `text AS f7`, each step over the input and the steps before."""

    projection: tuple[str, ...]
    types: tuple[SqlType, ...]
    condition: str | None = None
    functions: tuple[str, ...] = ()
    user: tuple[tuple[str, UserFunction], ...] = ()
    condition_steps: tuple[tuple[str, ...], ...] = ()
    steps: tuple[tuple[str, ...], ...] = ()


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
class GroupAggregateSpec:
    """GroupAggregate, record by record or in bundles (Flink: GroupAggFunction, MiniBatchGroupAggFunction).

    input_retracts: whether -U and -D may come, and so whether records are counted. count_star: the
    position in `calls` of a COUNT(*) that serves as the record counter, else None: a hidden one is
    kept. ttl: state retention in milliseconds, 0 for ever. bundle: rows after which a bundle ends, 0 for
    record by record. map_order: a bundle's keys go out in the order of Flink's map (bundles/map_order.py).
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

    def stateful(self, ttl: int, state_id: str) -> GroupAggregateSpec:
        """The same with its state kept for `ttl` milliseconds under a name."""
        return replace(self, ttl=ttl, state_id=state_id)

    @property
    def records(self) -> str | None:
        """The part of the accumulator that counts records: the query's own COUNT(*), the sum of partial
        ones, or a hidden count after all calls. None over insert-only input."""
        if not self.input_retracts:
            return None
        if self.count_star is None:
            return f"count{len(self.calls)}"
        part = "sum" if self.calls[self.count_star].function == "$SUM0" else "count"
        return f"{part}{self.count_star}"


@dataclass(frozen=True)
class LocalGroupAggregateSpec:
    """Bundles of rows to one row of accumulators a key (runtime/bundles/columns.py), without state.

    aggregate: keys and calls over the input.
    """

    aggregate: GroupAggregateSpec


@dataclass(frozen=True)
class GlobalGroupAggregateSpec:
    """Bundles of accumulators, as a local or an incremental aggregate gives them, merged by key.

    aggregate: the local phase's keys and calls, over its input. results: how many of the calls are
    columns of the output; what comes after them only counts records.
    """

    aggregate: GroupAggregateSpec
    results: int


@dataclass(frozen=True)
class IncrementalGroupAggregateSpec:
    """Bundles of a partial aggregate's accumulators to what they add to the final keys.

    aggregate: the partial aggregate, over its local phase's input. final_keys: positions among its keys.
    """

    aggregate: GroupAggregateSpec
    final_keys: tuple[int, ...]


@dataclass(frozen=True)
class ChangelogNormalizeSpec:
    """ChangelogNormalize by primary key; `condition` is DuckDB SQL over f0, f1, ... or None. bundle: rows
    after which a bundle ends, 0 for record by record."""

    keys: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    emit_update_before: bool
    condition: CalcSpec | None = None
    ttl: int = 0
    state_id: str = "changelog-normalize"
    bundle: int = 0


@dataclass(frozen=True)
class DropUpdateBeforeSpec:
    """Discard -U rows."""


@dataclass(frozen=True)
class ExpandSpec:
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


OperatorSpec = (
    CalcSpec
    | GroupAggregateSpec
    | LocalGroupAggregateSpec
    | GlobalGroupAggregateSpec
    | IncrementalGroupAggregateSpec
    | ChangelogNormalizeSpec
    | DropUpdateBeforeSpec
    | ExpandSpec
)


@dataclass(frozen=True)
class ScanSpec:
    """A source: the connector's name, the options of the table, and its physical and metadata columns.

    projection: positions in `names` that are wanted, in output order (f0 is names[projection[0]]).
    metadata: for each name, the metadata key, or None for a physical column.
    """

    connector: str
    options: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    projection: tuple[int, ...]
    metadata: tuple[str | None, ...] = ()
    time_zone: str = "UTC"
    table: str = ""


@dataclass(frozen=True)
class ValuesSpec:
    """Literal rows: one DuckDB SQL text a cell; `functions` as in CalcSpec."""

    types: tuple[SqlType, ...]
    rows: tuple[tuple[str, ...], ...]
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class SinkSpec:
    """Where the results go. connector None: collected for the terminal or the caller. constraints: what rows
    are held to before they go there (runtime/constraint_enforcer.py), None for nothing."""

    connector: str | None
    options: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    table: str = ""
    constraints: Constraints | None = None


@dataclass(frozen=True)
class ChainSpec:
    """One chain. head: a scan, literal rows, or the ids of the chains whose packets it reads.

    partition_by: positions of the key fields of its output in the exchange that follows, () for a
    single partition, None where the output goes to the sink.
    """

    id: int
    head: ScanSpec | ValuesSpec | tuple[int, ...]
    operators: tuple[OperatorSpec, ...]
    partition_by: tuple[int, ...] | None = None


@dataclass(frozen=True)
class JobSpec:
    """A job: its chains, each after those that it reads, and the sink that the last ones feed."""

    chains: tuple[ChainSpec, ...]
    sink: SinkSpec
    bounded: bool = True
