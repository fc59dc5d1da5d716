"""Bounded source of a DataFrame's changes, for `from_changelog_stream` of a DataFrame that does not stream.

The driver has written the changes to a file of Arrow's IPC format (session/snapshot.py), in the order in
which they are read. The first column of the file has the row kinds.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.config.option import Kind, Option
from firesteel.connectors.base import Sink, Source, Split
from firesteel.connectors.options import CONNECTOR, integer
from firesteel.connectors.single_read import SingleReadSource
from firesteel.errors import JobError, ValidationError
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

NAME = "dataframe-snapshot"
PATH, BATCHES = "path", "batches"
OPTIONS = (
    CONNECTOR,
    Option(PATH, Kind.STRING, None, "The file.", required=True),
    Option(BATCHES, Kind.INTEGER, None, "How many record batches it has.", required=True),
)


class SnapshotSource(SingleReadSource):
    """Bounded source of the changes of a DataFrame in a file."""

    def __init__(self, scan: ScanSpec) -> None:
        self._scan = scan
        options = dict(scan.options)
        self._path = options[PATH]
        self._batches = integer(options, BATCHES, 0, least=0)

    def splits(self, parallelism: int) -> list[Split]:
        """Return at most `parallelism` splits, each of about equally many consecutive record batches."""
        number = max(1, min(parallelism, self._batches))
        ends = [self._batches * part // number for part in range(number + 1)]
        return [Split(part, {"from": ends[part], "to": ends[part + 1]}) for part in range(number)]

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield the changes of a split.

        Raises:
            JobError: The file does not exist any more, or cannot be read.
        """
        first = 0
        try:
            with pa.memory_map(self._path) as file, pa.ipc.open_file(file) as reader:
                for number in range(split.data["from"], split.data["to"]):
                    rows = reader.get_batch(number)
                    columns = {
                        KIND: rows.column(0),
                        SEQUENCE: row_sequences(split.ordinal, first, rows.num_rows),
                    }
                    for place, position in enumerate(self._scan.projection):
                        columns[field(place)] = rows.column(position + 1)
                    first += rows.num_rows
                    yield pa.table(columns)
        except OSError as error:
            raise JobError(
                f"{self._path}: the rows of a DataFrame cannot be read: {error}",
                hint="the process that made the table has ended, or its temporary folder was deleted",
            ) from None


class Snapshot:
    """Connector of a DataFrame's changes. Statements cannot create its tables."""

    name = NAME
    options = OPTIONS

    def validate(self, table: Table) -> None:
        raise ValidationError(
            f"The connector '{NAME}' is Firesteel's own",
            hint="TableEnvironment.from_changelog_stream makes a table of a DataFrame",
        )

    def traits(self, table: Table) -> SourceTraits:
        assert table.traits is not None
        return table.traits

    def source(self, scan: ScanSpec) -> Source:
        return SnapshotSource(scan)

    def sink(self, sink: SinkSpec) -> Sink:
        raise ValidationError(f"Connector '{NAME}' can only be used as a source.")
