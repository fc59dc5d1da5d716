"""Tables that a job reads by lookup joins.

They belong to the job like its sources: their secrets are sent to workers, and the checks of sources before
the start (session/running/preflight.py) include them.
"""

from __future__ import annotations

from collections.abc import Iterator

from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, ResolvedLookupJoinSpec
from firesteel.runtime.spec.tables import ScanSpec


def looked_up(job: JobSpec) -> Iterator[ScanSpec]:
    """Yield the tables that a job reads by lookup joins."""
    for chain in job.chains:
        for operator in chain.operators:
            if isinstance(operator, LookupJoinSpec):
                yield operator.table.scan
            elif isinstance(operator, ResolvedLookupJoinSpec):
                yield operator.join.table.scan
