"""Source of the connector `jdbc`, which reads all current rows of a table once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.connectors.base import Split
from firesteel.connectors.jdbc.database import Database
from firesteel.connectors.jdbc.options import JdbcOptions, Partitions
from firesteel.connectors.jdbc.values import from_database
from firesteel.connectors.single_read import SingleReadSource
from firesteel.errors import DataError
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import ScanSpec

_TOGETHER = 50_000
"""Number of rows in each yielded table."""


class JdbcSource(SingleReadSource):
    """Bounded source of a database's table, in one split or as many as `scan.partition.num` requests.

    A retried task queries the table again, and so may read other rows than the first attempt.
    """

    def __init__(self, scan: ScanSpec, options: JdbcOptions) -> None:
        self._scan = scan
        self._options = options

    def splits(self, parallelism: int) -> list[Split]:
        """Return a split for each range of the partition column; a single split if no such column is set."""
        if self._options.partitions is None:
            return [Split(0, {})]
        return [
            Split(number, {"from": first, "to": last})
            for number, (first, last) in enumerate(bounds(self._options.partitions))
        ]

    def check(self, *, is_local: bool, fresh: bool) -> None:
        """Check that the table exists.

        On a cluster, nothing is checked: the driver may be unable to reach the database.

        Args:
            is_local: Whether tasks run on this machine, not on a cluster.
            fresh: Whether the job starts without a checkpoint. It has no effect on this check.

        Raises:
            JobError: The table does not exist, or the database is unreachable.
        """
        if is_local:
            wanted = [self._scan.names[position] for position in self._scan.projection]
            sql = f"{self._options.dialect.select(self._options.table, wanted, None)} WHERE 1 = 0"
            database = Database(self._options)
            database.once(lambda connection: connection.execute(database.text(sql)))

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield the rows of a split.

        Raises:
            JobError: The database rejects the query.
            DataError: A value is not of its column's type.
        """
        wanted = [self._scan.names[position] for position in self._scan.projection]
        parts = self._options.partitions
        sql = self._options.dialect.select(
            self._options.table, wanted, None if parts is None else parts.column
        )
        bound = {} if parts is None else {"p0": split.data["from"], "p1": split.data["to"]}
        database = Database(self._options)
        first = 0
        try:
            with database.connected() as connection:
                for rows in database.rows(connection, sql, bound).partitions(_TOGETHER):
                    yield self._table(rows, split.ordinal, first)
                    first += len(rows)
        except database.refusals as error:
            raise database.error(error, f"reading ended after {first} rows: " if first else "") from None

    def _table(self, rows: Any, split: int, first: int) -> pa.Table:
        columns: list[pa.Array] = [
            pa.array(np.full(len(rows), int(RowKind.INSERT), np.int8)),
            row_sequences(split, first, len(rows)),
        ]
        for place, position in enumerate(self._scan.projection):
            values = [row[place] for row in rows]
            try:
                columns.append(from_database(values, self._scan.types[position]))
            except ValueError as error:
                raise DataError(
                    f"{self._options.address.shown}, table {self._options.table}, column "
                    f"{self._scan.names[position]}: {error}"
                ) from None
        names = [KIND, SEQUENCE, *(field(index) for index in range(len(self._scan.projection)))]
        return pa.Table.from_arrays(columns, names=names)


def bounds(partitions: Partitions) -> list[tuple[int, int]]:
    """Return the lowest and the highest value of the partition column in each range, one range a split.

    Flink: JdbcNumericBetweenParametersProvider.ofBatchNum.
    """
    total = partitions.upper - partitions.lower + 1
    number = min(partitions.number, total)
    size = -(-total // number)
    larger = total - (size - 1) * number
    found, start = [], partitions.lower
    for part in range(number):
        end = start + size - 1 - (part >= larger)
        found.append((start, end))
        start = end + 1
    return found
