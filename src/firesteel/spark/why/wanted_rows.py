"""Conditions on the rows of a job from which wanted rows of a sink come. Other rows are dropped early."""

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
        exact: For some places, a condition on the rows at the place. The wanted rows of the sink do not
            depend on rows that do not satisfy it.
        seeds: For some places without a condition in `exact`, another condition. The wanted rows of the sink
            depend on the rows that satisfy it, and on all rows at the place with the key of such a row.
        cuts: Places at which the rows that do not satisfy the condition in `exact` can be dropped.
    """

    exact: dict[Place, Condition] = field(default_factory=dict)
    seeds: dict[Place, Condition] = field(default_factory=dict)
    cuts: set[Place] = field(default_factory=set)


def wanted_rows(job: JobSpec, sink: int, wanted: Condition) -> WantedRows:
    """Return conditions on the rows of a job's operators from which the wanted rows of a sink come.

    Args:
        job: The job.
        sink: Number of the sink.
        wanted: Condition that picks the wanted rows of the sink.

    Raises:
        NotSupportedError: The history of rows cannot be traced through an operator.
    """
    found = WantedRows()
    for chain in reversed(job.chains):
        condition, cuts = _of_outputs(chain, sink, wanted, found)
        for position in range(len(chain.operators) - 1, -1, -1):
            if condition is None:
                columns_of(chain.operators[position])  # raises NotSupportedError if rows cannot be traced
                continue
            condition, cuts = _before(chain, position, condition, found, cuts=cuts)
    return found


def leads_to(job: JobSpec, sink: int) -> set[int]:
    """Return the IDs of the chains whose rows can reach a sink."""
    found: set[int] = set()
    for chain in reversed(job.chains):
        if any(output.to == sink_id(sink) or output.to in found for output in chain.outputs):
            found.add(chain.id)
    return found


def ports(chain: ChainSpec, position: int) -> Sequence[int]:
    """Return the port numbers of a chain's operator. Only the first operator can have several ports."""
    return sorted({each.port for each in chain.inputs}) if position == 0 else (0,)


def _of_outputs(
    chain: ChainSpec, sink: int, wanted: Condition, found: WantedRows
) -> tuple[Condition | None, bool]:
    """Add the exact condition on a chain's output rows to `found`, and return it (WantedRows.exact).

    Returns:
        The condition, None if none is known; and whether the rows that do not satisfy it can be dropped.
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
    """Add conditions on an operator's input rows to `found`, and return the exact one of port 0.

    A condition is exact if the sink's wanted rows do not depend on rows that do not satisfy it.

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
