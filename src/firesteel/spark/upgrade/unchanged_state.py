"""Upgrades that keep the state, because only operators behind the last aggregates of a job have changed.

    sources -> ... -> GroupAggregate  ->  Calc -> sink
    `--- equal in both jobs ------'      `- the tails of the old job and of the new one

A tail is the operators between the last aggregate and a sink. The results of the aggregate are in its state.
The old tail, run over these results, gives the rows that the old job has sent its sinks. The new tail gives
the rows of the new job. So no source is read again, and the new job continues with the same state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.job.identities import identity
from firesteel.job.spec import ChainSpec, JobSpec, Partitioning, sink_id
from firesteel.runtime.spec.operators import GroupAggregateSpec, OperatorSpec
from firesteel.spark.checkpoint.fingerprint import bound_chains, shaping

_ROW_BY_ROW = frozenset({"CalcSpec", "DropUpdateBeforeSpec", "ConstraintEnforcerSpec"})
"""Operators without state, whose result for a row depends on this row alone."""
_FREE = ("emit_update_before", "bundle", "map_order")
"""Fields of an aggregate that do not change its state."""


@dataclass(frozen=True)
class SinkTail:
    """The operators without state between the last operator with state and a sink.

    Attributes:
        chain: ID of the chain with the operator with state.
        aggregate: The operator with state.
        operators: The operators without state, in order.
    """

    chain: int
    aggregate: GroupAggregateSpec
    operators: tuple[OperatorSpec, ...]


@dataclass(frozen=True)
class UnchangedState:
    """The operators between the last operator with state and each sink, in two jobs with the same state.

    Attributes:
        before: A SinkTail of the old job for each sink number.
        after: A SinkTail of the new job for each sink number.
    """

    before: Mapping[int, SinkTail]
    after: Mapping[int, SinkTail]


def unchanged_state(before: JobSpec, after: JobSpec) -> UnchangedState | None:
    """Return for two jobs the operators between the last operator with state and each sink (SinkTail).

    Return None if other operators or the sources differ, or if the rows of a sink cannot be computed from
    state. They can be computed if the last operator with state before the sink is a GroupAggregate that has
    keys, has no TTL, and is not part of an OVER (its `every_row` is False).

    Args:
        before: The old job.
        after: The new job.
    """
    old, new = shaping(before), shaping(after)
    if (old.bounded, old.sources) != (new.bounded, new.sources):
        return None
    if any(full.sinks[: len(job.sinks)] != job.sinks for full, job in ((before, old), (after, new))):
        # `shaping` leaves out the sinks of dead letters. If one of them precedes another sink in the list,
        # that sink has another number in `old` or `new` than in the whole job.
        return None
    tails, wanted = _tails(old), _tails(new)
    if tails is None or wanted is None or _body(old, tails) != _body(new, wanted):
        return None
    return UnchangedState(tails, wanted)


def _tails(job: JobSpec) -> dict[int, SinkTail] | None:
    found = {}
    for number, sink in enumerate(job.sinks):
        tail = None if sink.takes_dead_letters else _tail(job, number)
        if tail is None:
            return None
        found[number] = tail
    return found


def _tail(job: JobSpec, number: int) -> SinkTail | None:
    operators: list[OperatorSpec] = []
    target = sink_id(number)
    while True:
        feeding = [(c, o) for c in job.chains for o in c.outputs if o.to == target]
        if len(feeding) != 1:
            return None
        ((chain, output),) = feeding
        if target >= 0 and output.partitioning is not Partitioning.FORWARD:
            return None
        for operator in reversed(chain.operators):
            if isinstance(operator, GroupAggregateSpec):
                return _after(chain.id, operator, operators)
            if identity(type(operator)) not in _ROW_BY_ROW:
                return None
            operators.insert(0, operator)
        if chain.source is not None:
            return None
        target = chain.id


def _after(chain: int, aggregate: GroupAggregateSpec, operators: list[OperatorSpec]) -> SinkTail | None:
    has_results = bool(aggregate.keys) and not aggregate.ttl and not aggregate.every_row
    return SinkTail(chain, aggregate, tuple(operators)) if has_results else None


def _body(job: JobSpec, tails: Mapping[int, SinkTail]) -> list[dict[str, Any]]:
    """Return the JSON of each chain of a job, without the operators after its last aggregates (SinkTail).

    Leave out the chains that consist only of such operators, all outputs to these chains and to sinks, and
    the fields of aggregates that do not change the state.
    """
    kept = {chain.id for chain in job.chains if not _is_tail(job, chain)}
    last = {tail.chain for tail in tails.values()}
    found = []
    for chain, plain in zip(job.chains, bound_chains(job), strict=True):
        if chain.id not in kept:
            continue
        outputs = [o for o, output in zip(plain["outputs"], chain.outputs, strict=True) if output.to in kept]
        operators = plain["operators"]
        if chain.id in last and not outputs:
            ends = [i for i, each in enumerate(chain.operators) if isinstance(each, GroupAggregateSpec)]
            operators = operators[: ends[-1] + 1]
        found.append({**plain, "outputs": outputs, "operators": [_without_free(each) for each in operators]})
    return found


def _is_tail(job: JobSpec, chain: ChainSpec) -> bool:
    """Return whether a chain, like all chains behind it, has only operators without state and no source."""
    if chain.source is not None or any(
        identity(type(operator)) not in _ROW_BY_ROW for operator in chain.operators
    ):
        return False
    behind = [each for output in chain.outputs for each in job.chains if each.id == output.to]
    return all(_is_tail(job, each) for each in behind)


def _without_free(operator: dict[str, Any]) -> dict[str, Any]:
    if operator.get("is") != identity(GroupAggregateSpec):
        return operator
    return {key: value for key, value in operator.items() if key not in _FREE}
