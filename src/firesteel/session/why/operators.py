"""Reports of the operators that the explained rows have passed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.explain.sections import physical_line
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.spec import ChainSpec, JobSpec
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.spec.operators import DropUpdateBeforeSpec, OperatorSpec
from firesteel.runtime.spec.state_name import state_name
from firesteel.session.graph.job_graph import Origins, node_of
from firesteel.session.why.explanation import OperatorReport, StepReport
from firesteel.session.why.notes import note_of, time_text
from firesteel.session.why.origins import SourceRows
from firesteel.session.why.texts import key_texts, row_texts, state_texts
from firesteel.spark.why.condition import Mask, is_among
from firesteel.spark.why.lineage import Lineage, PlaceRows
from firesteel.spark.why.micro_batches import PastBatch
from firesteel.spark.why.operator_columns import columns_of
from firesteel.spark.why.steps import OperatorSteps, Step
from firesteel.spark.why.wanted_rows import ports

_KEYS = 5
"""Maximum number of keys for which an operator is reported."""
_ENTRIES = 3
"""Maximum number of entries that a step shows of each of its operator's states."""


class OperatorReports:
    """Reports of the operators of a job.

    Args:
        job: The job.
        origins: Its operators with their plan nodes.
        lineage: For each input and output of an operator, the rows from which the explained rows come.
        sources: The source rows that the explained rows come from.
        batches: The job's micro-batches, to which the batch indexes in the lineage refer.
        limit: Maximum number of steps in the report of one operator and key.
    """

    def __init__(
        self,
        job: JobSpec,
        origins: Origins,
        lineage: Lineage,
        sources: SourceRows,
        batches: Sequence[PastBatch],
        limit: int,
    ) -> None:
        self._job, self._origins, self._lineage = job, origins, lineage
        self._sources, self._batches, self._limit = sources, batches, limit

    def all(self) -> Iterator[OperatorReport]:
        """Yield the reports, sources first. An operator without keys that drops no rows has no report."""
        for chain in self._job.chains:
            if chain.id in self._lineage.chains:
                for position, spec in enumerate(chain.operators):
                    yield from self._of(chain, position, spec)

    def _of(self, chain: ChainSpec, position: int, spec: OperatorSpec) -> Iterator[OperatorReport]:
        columns = columns_of(spec)
        if columns.keys is None and not _drops(spec):
            return
        places = {port: self._lineage.at((chain.id, position, port)) for port in ports(chain, position)}
        if not any(place.chosen.any() for place in places.values()):
            return
        node = node_of(spec, self._origins)
        line = type(spec).__name__.removesuffix("Spec") if node is None else physical_line(node)
        if columns.keys is None:
            yield self._report(chain, position, spec, line, None, places, {})
            return
        keys = _keys(places, columns.keys)
        for number, (texts, masks) in enumerate(keys[:_KEYS]):
            others = len(keys) - _KEYS if number == _KEYS - 1 else 0
            yield self._report(chain, position, spec, line, texts, places, masks, max(0, others))

    def _report(
        self,
        chain: ChainSpec,
        position: int,
        spec: OperatorSpec,
        line: str,
        key: Sequence[str] | None,
        places: dict[int, PlaceRows],
        masks: dict[int, Mask],
        others: int = 0,
    ) -> OperatorReport:
        events = {port: place.chosen_events(masks.get(port)) for port, place in places.items()}
        columns = columns_of(spec)
        run = OperatorSteps(
            spec,
            self._batches,
            keeps_state=chain.source is None,
            ports=max(places) + 1,
            whole=bool(columns.bundle) or columns.whole,
        )
        steps = list(run.run(events, self._limit))
        shown = [self._step(spec, step) for step in steps[-self._limit :]]
        return OperatorReport(line, key, shown, len(steps) - len(shown), others)

    def _step(self, spec: OperatorSpec, step: Step) -> StepReport:
        inputs = [each.rows for each in step.inputs]
        state_id = state_name(spec)
        return StepReport(
            self._batches[step.batch].name,
            [place for rows in inputs for place in self._sources.places(step.batch, rows)],
            [text for rows in inputs for text in row_texts(rows)],
            state_texts(step.before, state_id, _ENTRIES),
            state_texts(step.after, state_id, _ENTRIES),
            [text for rows in step.sent for text in row_texts(rows)],
            note_of(spec, step),
            "" if step.watermark is None or step.inputs else time_text(step.watermark),
        )


def _drops(spec: OperatorSpec) -> bool:
    """Return whether an operator without keys drops some rows: by a WHERE condition, or all `-U`."""
    return isinstance(spec, DropUpdateBeforeSpec) or (
        isinstance(spec, CalcSpec) and spec.condition is not None
    )


def _keys(
    places: dict[int, PlaceRows], keys: Sequence[tuple[int, ...]]
) -> list[tuple[tuple[str, ...], dict[int, Mask]]]:
    """Return the distinct keys of the input rows of an operator from which the explained rows come.

    The keys are in the order of their first rows.

    Args:
        places: For each port, all recorded input rows, and which of them are in the lineage.
        keys: For each port, the positions of the key columns.

    Returns:
        For each key: its values as text, and a mask for each port. The mask is True for each recorded input
        row that has the key.
    """
    own = {
        port: [place.rows.column(field(at)) for at in keys[port]]
        for port, place in places.items()
        if place.rows is not None
    }
    chosen = {port: place.picked() for port, place in places.items()}
    picked = [(rows, keys[port]) for port, rows in chosen.items() if rows is not None]
    columns = [
        pa.chunked_array([chunk for rows, at in picked for chunk in rows.column(field(at[number])).chunks])
        for number in range(len(keys[0]))
    ]
    count = sum(rows.num_rows for rows, _ in picked)
    found = find_keys(columns, count)
    first = found.order[found.starts]
    result = []
    for number in np.argsort(first, kind="stable").tolist():
        key = [pa.chunked_array([column.slice(number, 1)]) for column in found.columns]
        masks = {
            port: is_among(of_port, key) if key else np.ones(len(places[port].chosen), np.bool_)
            for port, of_port in own.items()
        }
        result.append(((key_texts(key) or [()])[0], masks))
    return result
