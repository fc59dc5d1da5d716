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
        branches: Computes a column for each decision, which is a WHERE, CASE, IF or join condition of the
            query. Its value is the number of the branch that a row takes (WHERE: 0 passes, 1 does not pass),
            NULL for a row that does not reach the decision. None for a probe without decisions.
    """

    run: str
    number: int
    branches: CalcSpec | None = None
