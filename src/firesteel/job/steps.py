"""Names of the steps of a job's chains, for readers of their counters."""

from __future__ import annotations

from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.runtime.spec.tables import ScanSpec


def step_names(job: JobSpec) -> dict[int, tuple[str, ...]]:
    """Return the names of the steps of each chain, in the order of their counters.

    The first step is the chain's input, the last one its output (runtime/dataflow/counters.py).
    """
    return {chain.id: _names(chain) for chain in job.chains}


def _names(chain: ChainSpec) -> tuple[str, ...]:
    source = chain.source
    if isinstance(source, ScanSpec):
        first = f"read {source.table}"
    else:
        first = "exchange" if source is None else "read values"
    operators = [type(operator).__name__.removesuffix("Spec") for operator in chain.operators]
    return (first, *operators, "send")
