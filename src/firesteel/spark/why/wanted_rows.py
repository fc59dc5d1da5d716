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
    """Conditions on the rows at the inputs and outputs of a job's operators (recorder.py: Place).

    Attributes:
        exact: Condition by place. Of the rows at this place, the wanted rows depend only on those that
            satisfy the condition. A place may lack such a condition.
        seeds: Condition by place, where no exact one is known. The wanted rows depend on the rows that
            satisfy it, and on all rows at this place that have the key of one of them.
        cuts: Places at which the rows that do not satisfy `exact` can be dropped.
    """

    exact: dict[Place, Condition] = field(default_factory=dict)
    seeds: dict[Place, Condition] = field(default_factory=dict)
    cuts: set[Place] = field(default_factory=set)


def wanted_rows(job: JobSpec, sink: int, wanted: Condition) -> WantedRows:
    """Return the conditions on the rows of a job from which some rows of a sink come.

    Args:
        job: The job.
        sink: Number of the sink.
        wanted: Condition of the sink's rows.

    Raises:
        NotSupportedError: The history of rows cannot be traced through an operator.
    """
    found = WantedRows()
    for chain in reversed(job.chains):
        condition, cuts = _of_outputs(chain, sink, wanted, found)
        for position in range(len(chain.operators) - 1, -1, -1):
            if condition is None:
                columns_of(chain.operators[position])  # raises an error if it cannot be traced
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
    """Return the ports at a position of a chain. Only the first position can have several ports."""
    return sorted({each.port for each in chain.inputs}) if position == 0 else (0,)


def _of_outputs(
    chain: ChainSpec, sink: int, wanted: Condition, found: WantedRows
) -> tuple[Condition | None, bool]:
    """Return a condition on a chain's output rows, and whether rows that do not satisfy it can be dropped.

    The wanted rows of the sink depend only on output rows that satisfy the condition (WantedRows.exact). None
    means that no such condition is known. The condition is also added to `found`.
    """
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
    """Add the conditions on an operator's inputs to `found`, and return the exact one of the first port.

    The sink's wanted rows depend only on input rows that satisfy an exact condition (WantedRows.exact).

    Args:
        chain: The operator's chain.
        position: Position of the operator in the chain.
        after: Exact condition on the operator's output.
        found: Conditions found so far.
        cuts: Whether the rows that do not satisfy `after` can be dropped at the output.

    Returns:
        The exact condition on port 0, None if none is known; and whether the rows that do not satisfy it can
        be dropped.
    """
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
