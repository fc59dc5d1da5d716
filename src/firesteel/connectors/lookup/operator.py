"""The operator of a lookup join, with its table opened by the table's connector.

A process opens a table once for each job and keeps it, so that its cache serves all micro-batches.
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel import process_cache
from firesteel.connectors.registry import open_lookup
from firesteel.runtime.dataflow.operator import Clock
from firesteel.runtime.operators.lookup_join import lookup_join
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.operators.lookup_join.lookup_join import LookupJoin
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, LookupTable
from firesteel.runtime.state.base import StateBackend

_open: dict[tuple[str, LookupTable], Lookup] = {}


def opened(table: LookupTable) -> Lookup:
    """Return the table, opened for the job that this process works for."""
    name = (process_cache.job(), table)
    process_cache.open_once(
        ("lookup", *name), lambda: _open.__setitem__(name, open_lookup(table)), lambda: _forget(name)
    )
    return _open[name]


def _forget(name: tuple[str, LookupTable]) -> None:
    _open.pop(name, None)


def build(spec: LookupJoinSpec, state: StateBackend | None, clock: Clock) -> LookupJoin:
    return LookupJoin(spec, opened(spec.table))


def code(spec: LookupJoinSpec) -> Iterator[str]:
    return lookup_join.code(spec)
