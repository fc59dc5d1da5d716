"""Names of the steps of each chain of a job, for displays of their counters.

The steps of a chain are: reading its input, each of its operators, and sending the rows on.
"""

from __future__ import annotations

from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.runtime.spec.tables import ScanSpec


def step_names(job: JobSpec) -> dict[int, tuple[str, ...]]:
    """Return the names of the steps of each chain by the chain's id: `{0: ("read orders", "Calc", "send")}`.

    The steps of a chain are reading its input, each of its operators, and sending the rows on. The names are
    in the order of the counters that the steps have (runtime/dataflow/counters.py).
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
