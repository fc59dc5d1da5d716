"""Late rows for the dead-letter table of a job: the operators that drop them, and their inputs' columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from firesteel.errors import NotSupportedError
from firesteel.job.spec import JobSpec
from firesteel.plan.tree import Node
from firesteel.runtime.spec.attached_window import WindowJoinSpec, WindowRankSpec
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.over import OverAggregateSpec, TemporalSortSpec
from firesteel.runtime.spec.rank import DeduplicateSpec
from firesteel.runtime.spec.tables import LateInput, SinkSpec
from firesteel.runtime.spec.window import (
    GroupWindowAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
)

LATE_ROWS = "firesteel.dead-letters.late-rows"

_DROP_LATE_ROWS = (
    DeduplicateSpec,
    GroupWindowAggregateSpec,
    OverAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindowTableFunctionSpec,
    TemporalSortSpec,
    WindowAggregateSpec,
    WindowJoinSpec,
    WindowRankSpec,
)
"""Operators that drop rows because they come too late (runtime/dataflow/operator.py: drop_late)."""


def with_late_rows(job: JobSpec, origins: Sequence[tuple[OperatorSpec, Node]]) -> JobSpec:
    """Return a job whose dead-letter table gets the rows that operators drop as late.

    Args:
        job: The job.
        origins: (operator, plan node) for each operator of the job.

    Raises:
        NotSupportedError: A window aggregate has two phases. Its local phase merges rows to accumulators. Its
            global phase drops late accumulators, from which the late rows cannot be recovered.
    """
    inputs = tuple(_inputs(job, origins))
    sinks = (replace(sink, late_inputs=inputs) if _takes_all(sink) else sink for sink in job.sinks)
    return replace(job, sinks=tuple(sinks))


def _takes_all(sink: SinkSpec) -> bool:
    return sink.takes_dead_letters and not sink.dead_letter_source and not sink.takes_refused_rows


def _inputs(job: JobSpec, origins: Sequence[tuple[OperatorSpec, Node]]) -> Iterator[LateInput]:
    for chain in job.chains:
        for place, spec in enumerate(chain.operators):
            if not isinstance(spec, _DROP_LATE_ROWS):
                continue
            _check_gets_rows(spec)
            node = next(node for other, node in origins if other is spec)
            name = type(spec).__name__.removesuffix("Spec")
            for port, child in enumerate(node.children):
                names = tuple(column.name for column in child.schema)
                types = tuple(column.type for column in child.schema)
                yield LateInput(chain.id, place, port, name, names, types)


def _check_gets_rows(spec: OperatorSpec) -> None:
    """Raise NotSupportedError if an operator gets accumulators of a local phase instead of rows."""
    if isinstance(spec, WindowAggregateSpec) and spec.is_global and spec.is_rowtime:
        raise NotSupportedError(
            f"'{LATE_ROWS}' with a window aggregate of two phases, whose first phase merges rows",
            hint="SET 'table.optimizer.agg-phase-strategy' = 'ONE_PHASE' before the job first runs",
        )
