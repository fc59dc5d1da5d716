"""Operator of a lookup join, whose table is opened by the table's connector.

A process opens a table once for each run of a job and keeps it, so that its cache serves all micro-batches.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from firesteel import process_cache
from firesteel.connectors.registry import open_lookup
from firesteel.runtime.dataflow.operator import Clock
from firesteel.runtime.operators.lookup_join import lookup_join
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.operators.lookup_join.lookup_join import LookupJoin
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, LookupTable
from firesteel.runtime.state.base import StateBackend

MOST_OPEN = 16
"""Maximum number of tables that a process keeps open.

A limit is needed because a process may run several jobs, and does not notice when a job ends.
"""

_open: OrderedDict[tuple[str, LookupTable], Lookup] = OrderedDict()


def opened(table: LookupTable) -> Lookup:
    """Return the table, opened for the current job's run in this process."""
    name = (process_cache.job(), table)
    if name not in _open:
        _open[name] = open_lookup(table)
    _open.move_to_end(name)
    while len(_open) > MOST_OPEN:
        _open.popitem(last=False)
    return _open[name]


def build(spec: LookupJoinSpec, state: StateBackend | None, clock: Clock) -> LookupJoin:
    return LookupJoin(spec, opened(spec.table))


def code(spec: LookupJoinSpec) -> Iterator[str]:
    return lookup_join.code(spec)
