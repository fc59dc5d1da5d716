"""Operator of a lookup join that stores the rows found for each input row until the input row is retracted.

The table's connector opens the table.
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.connectors.lookup.operator import opened
from firesteel.runtime.dataflow.operator import Clock
from firesteel.runtime.operators.lookup_join import lookup_join
from firesteel.runtime.operators.lookup_join.resolved_lookup_join import ResolvedLookupJoin
from firesteel.runtime.spec.lookup_join import ResolvedLookupJoinSpec
from firesteel.runtime.state.base import StateBackend


def build(spec: ResolvedLookupJoinSpec, state: StateBackend | None, clock: Clock) -> ResolvedLookupJoin:
    return ResolvedLookupJoin(spec, opened(spec.join.table), state, clock)


def code(spec: ResolvedLookupJoinSpec) -> Iterator[str]:
    yield from lookup_join.code(spec.join)
    yield "-- keeps what it found for each row"
