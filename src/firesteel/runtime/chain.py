"""A chain at work: the operators of a ChainSpec, changes in, changes out. Both hosts run this."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from firesteel.errors import InternalError
from firesteel.runtime.operators.base import Operator
from firesteel.runtime.spec import (
    CalcSpec,
    ChainSpec,
    ChangelogNormalizeSpec,
    DropUpdateBeforeSpec,
    ExpandSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    IncrementalGroupAggregateSpec,
    LocalGroupAggregateSpec,
    OperatorSpec,
)
from firesteel.runtime.state.base import StateBackend

if TYPE_CHECKING:
    from firesteel.runtime.operators.map_bundle import BundleFunction

Clock = Callable[[], int]
"""Gives the processing time in milliseconds."""


def wall_clock() -> int:
    """The time of day, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Chain:
    """The operators of one chain, in order; one instance for each task or key group."""

    def __init__(self, operators: Iterable[OperatorSpec], state: StateBackend | None, clock: Clock) -> None:
        self._operators = [build_operator(spec, state, clock) for spec in operators]

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes that these cause."""
        return self._through(changes, 0)

    def finish(self) -> Iterator[pa.Table]:
        """End of the micro-batch or of the input: what the operators held back."""
        for index, operator in enumerate(self._operators):
            rest = operator.finish()
            if rest is not None and rest.num_rows:
                out = self._through(rest, index + 1)
                if out.num_rows:
                    yield out
        if "firesteel.udf.load" in sys.modules:
            sys.modules["firesteel.udf.load"].close_all()

    def run(self, batches: Iterable[pa.Table]) -> Iterator[pa.Table]:
        """All of `batches` through the chain to its end."""
        for changes in batches:
            out = self.process(changes)
            if out.num_rows:
                yield out
        yield from self.finish()

    def _through(self, changes: pa.Table, start: int) -> pa.Table:
        for operator in self._operators[start:]:
            changes = operator.process(changes)
        return changes


def changes_a_row(chain: ChainSpec) -> int:
    """How many changes one row that comes into the chain can cause, at most."""
    width = 1
    for operator in chain.operators:
        if isinstance(operator, (GroupAggregateSpec, GlobalGroupAggregateSpec, ChangelogNormalizeSpec)):
            width *= 2
        elif isinstance(operator, ExpandSpec):
            width *= len(operator.numbers)
    return width


def build_operator(spec: OperatorSpec, state: StateBackend | None, clock: Clock) -> Operator:
    """The operator that a spec names. A module is loaded when it is first needed: imports cost
    start-up time."""
    build = _BUILDERS.get(type(spec))
    if build is None:
        raise InternalError(f"no operator runs {type(spec).__name__}")
    operator: Operator = build(spec, state, clock)
    return operator


def _calc(spec: CalcSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.calc import Calc

    return Calc(spec)


def _group_aggregate(spec: GroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    if spec.bundle:
        from firesteel.runtime.operators.mini_batch_group_aggregate import MiniBatchGroupAggregate

        return _bundled(MiniBatchGroupAggregate(spec, state, clock), spec, spec.keys)
    from firesteel.runtime.operators.group_aggregate import GroupAggregate

    return GroupAggregate(spec, state, clock)


def _local(spec: LocalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.local_group_aggregate import LocalGroupAggregate

    return _bundled(LocalGroupAggregate(spec.aggregate), spec.aggregate, spec.aggregate.keys)


def _global(spec: GlobalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.global_group_aggregate import GlobalGroupAggregate

    return _bundled(GlobalGroupAggregate(spec, state, clock), spec.aggregate)


def _incremental(spec: IncrementalGroupAggregateSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.incremental_group_aggregate import IncrementalGroupAggregate

    return _bundled(IncrementalGroupAggregate(spec, state, clock), spec.aggregate)


def _bundled(
    function: BundleFunction, aggregate: GroupAggregateSpec, keys: Sequence[int] | None = None
) -> Operator:
    """keys: of the rows that come in; None for accumulators, whose first columns they are."""
    from firesteel.runtime.operators.map_bundle import MapBundle

    if not aggregate.map_order:
        return MapBundle(function, aggregate.bundle)
    from firesteel.runtime.bundles.map_order import MapOrder

    kinds = [aggregate.input_types[i] for i in aggregate.keys]
    return MapBundle(function, aggregate.bundle, MapOrder(range(len(kinds)) if keys is None else keys, kinds))


def _changelog_normalize(spec: ChangelogNormalizeSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.changelog_normalize import ChangelogNormalize, MiniBatchNormalize

    normalize = ChangelogNormalize(spec, state, clock)
    if not spec.bundle:
        return normalize
    from firesteel.runtime.operators.map_bundle import MapBundle

    return MapBundle(MiniBatchNormalize(spec, normalize), spec.bundle)


def _drop_update_before(spec: DropUpdateBeforeSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.drop_update_before import DropUpdateBefore

    return DropUpdateBefore(spec)


def _expand(spec: ExpandSpec, state: StateBackend | None, clock: Clock) -> Operator:
    from firesteel.runtime.operators.expand import Expand

    return Expand(spec)


_BUILDERS: dict[type, Callable[..., Any]] = {
    CalcSpec: _calc,
    GroupAggregateSpec: _group_aggregate,
    LocalGroupAggregateSpec: _local,
    GlobalGroupAggregateSpec: _global,
    IncrementalGroupAggregateSpec: _incremental,
    ChangelogNormalizeSpec: _changelog_normalize,
    DropUpdateBeforeSpec: _drop_update_before,
    ExpandSpec: _expand,
}
