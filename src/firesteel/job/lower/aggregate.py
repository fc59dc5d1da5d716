"""Translate the aggregates of a physical plan to specs: record by record, in bundles, and in two phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firesteel.changelog import ChangelogMode
from firesteel.config.option import parse_duration
from firesteel.errors import InternalError
from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.accumulators import record_count
from firesteel.plan.nodes.state_ttl import StateTtl
from firesteel.plan.tree import Node
from firesteel.runtime.spec.operators import (
    AggregateSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    IncrementalGroupAggregateSpec,
    LocalGroupAggregateSpec,
    OperatorSpec,
)
from firesteel.types.sql import SqlType

Types = tuple[SqlType, ...]


@dataclass(frozen=True)
class OperatorOptions:
    """Options of the translation of operators.

    Attributes:
        time_zone: Session time zone.
        ttl: State retention in milliseconds, 0 for no expiry.
        bundle: Number of rows after which a bundle ends, 0 for record by record.
        state_id: Function that returns a unique name for the state of an operator.
        watermark_interval: Milliseconds of event time between watermarks (pipeline.auto-watermark-interval).
        idle_timeout: Milliseconds until a silent source is idle (table.exec.source.idle-timeout).
        unread: Positions of the input columns of a table function that no later operator reads, by the
            fingerprint of the Correlate (job/lower/unread_columns.py).
        min_cleanup: Milliseconds that an interval join keeps a row after its last possible partner
            (table.exec.interval-join.min-cleanup-interval).
        origins: List that receives (operator, its plan node) for each operator; None if it is not needed.
    """

    time_zone: str
    ttl: int
    bundle: int
    state_id: Callable[[str], str]
    watermark_interval: int = 0
    idle_timeout: int = 0
    unread: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    min_cleanup: int = 0
    origins: list[tuple[OperatorSpec, Node]] | None = None


def local_aggregate(node: physical.LocalGroupAggregate, options: OperatorOptions) -> LocalGroupAggregateSpec:
    retracts = mode_of(node.input).has_retraction
    aggregate = aggregate_of(
        node.keys, node.calls, node.retract, types_of(node.input), retracts, options.bundle
    )
    return LocalGroupAggregateSpec(replace(aggregate, map_order=node.map_order))


def group_aggregate(node: physical.GroupAggregate, options: OperatorOptions) -> GroupAggregateSpec:
    retract = node.retract or (False,) * len(node.calls)
    aggregate = aggregate_of(
        node.keys, node.calls, retract, types_of(node.input), mode_of(node.input).has_retraction,
        options.bundle if node.mini_batch else 0, mode_of(node).update_before, _kept(options, node.state_ttl),
    )  # fmt: skip
    return replace(aggregate, map_order=node.map_order)


def global_aggregate(
    node: physical.GlobalGroupAggregate, options: OperatorOptions
) -> GlobalGroupAggregateSpec:
    """Return the spec of a global aggregate.

    Its calls name their arguments by column position. Usually, these are positions in the input of the local
    aggregate. If the global aggregate reads an incremental aggregate, they are positions in the result of the
    incremental aggregate, which has its keys first, then its calls.
    """
    below = _below_exchange(node)
    if isinstance(below, physical.IncrementalGroupAggregate):
        local = _below_exchange(below)
        columns = types_of(below.input)
        types = (*(columns[k] for k in below.keys), *(call.type for call in below.calls))
        keys = below.final_keys
    else:
        local, types, keys = below, types_of(below.children[0]), below.keys  # type: ignore[attr-defined]
    aggregate = aggregate_of(
        keys, node.calls, node.retract, types, mode_of(local.children[0]).has_retraction,
        options.bundle, mode_of(node).update_before, _kept(options, node.state_ttl), node.index_of_count_star,
    )  # fmt: skip
    return GlobalGroupAggregateSpec(replace(aggregate, map_order=node.map_order), node.results)


def incremental_aggregate(
    node: physical.IncrementalGroupAggregate, options: OperatorOptions
) -> IncrementalGroupAggregateSpec:
    local = _below_exchange(node)
    if not isinstance(local, physical.LocalGroupAggregate):
        raise InternalError("an incremental aggregate is not over a local one")
    aggregate = aggregate_of(
        local.keys, node.calls, node.retract, types_of(local.input), mode_of(local.input).has_retraction,
        options.bundle, False, _kept(options, node.state_ttl),
    )  # fmt: skip
    return IncrementalGroupAggregateSpec(replace(aggregate, map_order=node.map_order), node.final_keys)


def _kept(options: OperatorOptions, ttl: StateTtl) -> OperatorOptions:
    """Return the options, with the time to live of a STATE_TTL hint if there is one."""
    return replace(options, ttl=parse_duration(ttl.time)) if ttl.time else options


def aggregate_of(
    keys: tuple[int, ...],
    calls: Sequence[AggregateCall],
    retract: Sequence[bool],
    types: Types,
    retracts: bool,
    bundle: int,
    update_before: bool = False,
    options: OperatorOptions | None = None,
    count_star: int | None = None,
) -> GroupAggregateSpec:
    """Return the spec of an aggregation.

    Args:
        keys: Positions of the key columns.
        calls: The aggregate calls.
        retract: Whether each call has to take back values.
        types: Types of the input's columns.
        retracts: Whether the input may have -U or -D.
        bundle: Number of rows after which a bundle ends, 0 for record by record.
        update_before: Whether the output has -U.
        options: Options that set the name and TTL of the state. None: the aggregation keeps no state.
        count_star: Position in `calls` of a COUNT(*) that counts records. None: find one.
    """
    star = record_count(calls) if count_star is None else count_star
    spec = GroupAggregateSpec(
        keys=keys,
        calls=tuple(_aggregate(c, r, types) for c, r in zip(calls, retract, strict=True)),
        input_types=types,
        input_retracts=retracts,
        emit_update_before=update_before,
        count_star=star if retracts else None,
        bundle=bundle,
    )
    if options is None:
        return spec
    return spec.stateful(options.ttl, options.state_id("group-aggregate"))


def _aggregate(call: AggregateCall, retract: bool, types: Types) -> AggregateSpec:
    arg_types = tuple(types[i] for i in call.args)
    return AggregateSpec(
        call.function, call.args, arg_types, call.type, retract, call.distinct, call.filter, call.options,
        None if call.user is None else call.user.function,
    )  # fmt: skip


def _below_exchange(node: Node) -> Node:
    exchange = node.children[0]
    if not isinstance(exchange, physical.Exchange):
        raise InternalError(f"{type(node).__name__} is not over an exchange")
    return exchange.input


def types_of(node: Node) -> Types:
    """Return the types of a node's columns."""
    return tuple(f.type for f in node.schema)


def mode_of(node: Node) -> ChangelogMode:
    """Return the changelog mode of a node's output.

    Raises:
        InternalError: The mode was not inferred.
    """
    mode: ChangelogMode | None = getattr(node, "mode", None)
    if mode is None:
        raise InternalError(f"the changelog mode of {type(node).__name__} was not inferred")
    return mode
