"""Search for the source rows that caused changes, by the sequences of the changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.sequence import sequence_shift, sequences
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.why.explanation import SourceRow
from firesteel.session.why.statement import DEFAULT
from firesteel.session.why.texts import row_texts
from firesteel.spark.why.lineage import BATCH, Lineage
from firesteel.spark.why.micro_batches import PastBatch
from firesteel.spark.why.rerun import ReadRows, of_sequences

Origin = tuple[int, int]
"""Source row that caused a change: index of its micro-batch (as in Lineage), and its sequence."""


class SourceRows:
    """Source rows that the explained rows come from, with their places, such as file and line.

    Args:
        job: The job.
        lineage: For each input and output of an operator, the rows from which the explained rows come.
        read: Rows that each source chain has read, by the chain's number.
        batches: The micro-batches.

    Attributes:
        count: Number of source rows.
    """

    def __init__(
        self,
        job: JobSpec,
        lineage: Lineage,
        read: Mapping[int, Sequence[ReadRows]],
        batches: Sequence[PastBatch],
    ) -> None:
        self._batches = batches
        self._places: dict[Origin, Mapping[str, object]] = {}
        self._picked: list[tuple[Origin, str, pa.Table, int]] = []
        shifts = [
            sequence_shift(operator.places, operator.sources)
            for chain in job.chains
            for operator in chain.operators
            if isinstance(operator, SequenceShiftSpec)
        ]
        for chain in job.chains:
            if isinstance(chain.source, ScanSpec) and chain.id in lineage.chains:
                rows = lineage.at((chain.id, 0, 0)).picked()
                if rows is not None:
                    self._add(chain.source.table.removeprefix(DEFAULT), rows, read[chain.id], shifts)
        self._picked.sort(key=lambda each: each[0])

    @property
    def count(self) -> int:
        return len(self._picked)

    def _add(self, table: str, rows: pa.Table, read: Sequence[ReadRows], shifts: Sequence[int]) -> None:
        batches, own = rows.column(BATCH).to_numpy(), sequences(rows)
        for batch in sorted(set(batches.tolist())):
            found = of_sequences(read, batch, own[batches == batch])
            for sequence, place in found.items():
                shown = {name: _shown(name, value) for name, value in place.items()}
                for shift in (0, *shifts):
                    self._places.setdefault((batch, sequence + shift), shown)
        for at, origin in enumerate(zip(batches.tolist(), own.tolist(), strict=True)):
            self._picked.append((origin, table, rows, at))

    def place(self, batch: int, sequence: int) -> Mapping[str, object]:
        """Return the place of a source row, such as file and line, by its sequence; {} if it is unknown."""
        return self._places.get((batch, sequence), {})

    def places(self, batch: int, rows: pa.Table) -> list[Mapping[str, object]]:
        """Return the known places of the source rows that caused the changes in `rows`, each once.

        Args:
            batch: Index of the micro-batch, as in Lineage.
            rows: A changes table. Its sequences say which source rows caused the changes.
        """
        found = [self.place(batch, each) for each in dict.fromkeys(rows.column(SEQUENCE).to_pylist())]
        return [place for place in found if place]

    def last(self, count: int) -> list[SourceRow]:
        """Return the last `count` source rows, oldest first."""
        return [
            SourceRow(self._batches[batch].name, table, self.place(batch, sequence), text)
            for (batch, sequence), table, rows, at in self._picked[-count:]
            for text in row_texts(rows.slice(at, 1))
        ]


def _shown(name: str, value: object) -> object:
    """Return a value of a place (SourceRow) as it is shown: the path of a file below here gets relative.

    Args:
        name: Name of the value, such as `file` or `line`.
        value: The value.
    """
    if name != "file":
        return value
    path, here = Path(str(value)), Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
