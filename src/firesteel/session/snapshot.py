"""Storage of a batch DataFrame, or of changes in memory, in a file that a table reads."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND
from firesteel.connectors.dataframe import BATCHES, NAME, PATH
from firesteel.errors import DataError, NotSupportedError
from firesteel.session.context import Environment
from firesteel.spark.stream.frame_source import COMMIT_VERSION, row_kinds
from firesteel.spark.temporary import process_folder
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ROWS = 100_000
"""Number of rows in a record batch."""


def snapshot(
    environment: Environment, frame: DataFrame, types: dict[str, SqlType]
) -> tuple[tuple[str, str], ...]:
    """Store the rows of a DataFrame as one bounded batch of changes.

    The rows pass through the memory of this process. If there is a column `_commit_version`, rows are sorted
    by it. Within a version, removed rows (delete, update_preimage) come first. Without this column, the
    DataFrame's partitions come one after the other, each in its own order.

    Args:
        environment: Session with the Spark of the DataFrame.
        frame: Rows, with or without `_change_type`.
        types: Columns of the table, by name.

    Returns:
        The options of the table.

    Raises:
        NotSupportedError: Spark is a cluster, whose machines do not see the files of this one.
        DataError: A `_change_type` is unknown, or a value is out of range of its type.
    """
    if not environment.spark.is_local:
        raise NotSupportedError(
            "a DataFrame that does not stream, on a cluster", hint="read it with spark.readStream"
        )
    rows = frame.toArrow()
    kinds = row_kinds(rows)
    if COMMIT_VERSION in rows.column_names:
        adds = (kinds == 0) | (kinds == 2)
        order = np.lexsort((adds, rows.column(COMMIT_VERSION).to_numpy()))
        rows, kinds = rows.take(pa.array(order)), kinds[order]
    columns = {KIND: pa.array(kinds)}
    for name, kind in types.items():
        try:
            columns[name] = rows.column(name).cast(to_arrow(kind), safe=False)
        except pa.ArrowInvalid as error:
            raise DataError(f"column {name} of the DataFrame: {error}") from None
    return _stored(pa.table(columns))


def stored_changes(environment: Environment, changes: pa.Table) -> tuple[tuple[str, str], ...]:
    """Store changes as one bounded batch, and return the options of its table.

    Args:
        environment: The session.
        changes: The row kinds, then the columns of the table.

    Raises:
        NotSupportedError: Spark is a cluster, whose machines do not see the files of this one.
    """
    if not environment.spark.is_local:
        raise NotSupportedError("a table of rows that this process has, on a cluster")
    return _stored(changes)


def _stored(changes: pa.Table) -> tuple[tuple[str, str], ...]:
    batches = changes.combine_chunks().to_batches(_ROWS)
    folder = tempfile.mkdtemp(prefix="snapshot-", dir=process_folder())
    path = f"{folder}/changes.arrow"
    with pa.ipc.new_file(path, changes.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return (("connector", NAME), (PATH, path), (BATCHES, str(len(batches))))
