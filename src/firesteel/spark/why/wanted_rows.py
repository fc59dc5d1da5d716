"""Rows of a job that lead to some rows of a sink: which ones to keep, and which ones to drop early."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import ChainSpec, JobSpec, sink_id
from firesteel.runtime.spec.operators import MiniBatchAssignerSpec, WatermarkAssignerSpec
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.why.condition import Condition
from firesteel.spark.why.operator_columns import columns_of
from firesteel.spark.why.recorder import Place


@dataclass
class WantedRows:
    """Conditions on the rows at the places of a job.

    Attributes:
        exact: Conditions of all rows that the wanted rows depend on. A place without one has no such
            condition.
        seeds: Conditions of rows whose keys the wanted rows have. All rows of these keys count.
        cuts: Places at which all other rows can be dropped.
    """

    exact: dict[Place, Condition] = field(default_factory=dict)
    seeds: dict[Place, Condition] = field(default_factory=dict)
    cuts: set[Place] = field(default_factory=set)


def wanted_rows(job: JobSpec, sink: int, wanted: Condition) -> WantedRows:
    """Return the conditions for some rows of a sink.

    Args:
        job: The job.
        sink: Number of the sink.
        wanted: Condition of the rows.

    Raises:
        NotSupportedError: The history of rows cannot be traced through an operator.
    """
    found = WantedRows()
    for chain in reversed(job.chains):
        condition, cuts = _of_outputs(chain, sink, wanted, found)
        for position in range(len(chain.operators) - 1, -1, -1):
            if condition is None:
                columns_of(chain.operators[position])  # refuses what cannot be traced
                continue
            condition, cuts = _before(chain, position, condition, found, cuts=cuts)
    return found


def leads_to(job: JobSpec, sink: int) -> set[int]:
    """Return the numbers of the chains whose rows can come to a sink."""
    found: set[int] = set()
    for chain in reversed(job.chains):
        if any(output.to == sink_id(sink) or output.to in found for output in chain.outputs):
            found.add(chain.id)
    return found


def ports(chain: ChainSpec, position: int) -> Sequence[int]:
    """Return the ports of an operator of a chain, or of the place after the last one."""
    return sorted({each.port for each in chain.inputs}) if position == 0 else (0,)


def _of_outputs(
    chain: ChainSpec, sink: int, wanted: Condition, found: WantedRows
) -> tuple[Condition | None, bool]:
    """Return the condition on the rows that a chain sends, and whether other rows can be dropped."""
    if len(chain.outputs) != 1:
        return None, False
    (output,) = chain.outputs
    if output.to == sink_id(sink):
        condition, cuts = wanted, True
    elif (place := (output.to, 0, output.port)) in found.exact:
        condition, cuts = found.exact[place], place in found.cuts
    else:
        return None, False
    last = chain.id, len(chain.operators), 0
    found.exact[last] = condition
    if cuts and chain.operators:
        found.cuts.add(last)
    return condition, cuts


def _width(chain: ChainSpec, position: int) -> int | None:
    """Return the number of columns of the rows that an operator gets; None if it is unknown."""
    for spec in reversed(chain.operators[:position]):
        if isinstance(spec, CalcSpec):
            return len(spec.projection)
        if not isinstance(spec, (WatermarkAssignerSpec, MiniBatchAssignerSpec, SequenceShiftSpec)):
            return None
    source = chain.source
    if isinstance(source, ScanSpec):
        return len(source.projection)
    return None if source is None else len(source.types)


def _before(
    chain: ChainSpec, position: int, after: Condition, found: WantedRows, *, cuts: bool
) -> tuple[Condition | None, bool]:
    """Add the conditions on the inputs of an operator, and return that of its first port."""
    columns = columns_of(chain.operators[position])
    first: Condition | None = None
    can_cut = cuts and not columns.bundle
    for port in ports(chain, position):
        place = chain.id, position, port
        condition, is_exact = columns.before(after, port, _width(chain, position))
        if is_exact:
            found.exact[place] = condition
            if can_cut and not columns.makes_watermarks:
                found.cuts.add(place)
            if port == 0:
                first = condition
        elif condition.values:
            found.seeds[place] = condition
    return first, can_cut and not columns.makes_watermarks
