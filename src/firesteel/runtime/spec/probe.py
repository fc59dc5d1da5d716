"""Settings of a probe, which counts the rows that pass a place of a plan."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class ProbeSpec(OperatorSpec):
    """Count rows by kind, and by the branch that each takes. Only the in-process host runs probes.

    Attributes:
        run: Id of the run of the query. All probes of a run add to the same counts.
        number: Number of the probe in the run.
        branches: For each decision a column with the number of the branch that a row takes, NULL for a row
            that does not reach the decision. None for a probe without decisions.
    """

    run: str
    number: int
    branches: CalcSpec | None = None
