"""Files that stand in for tables which Flink cannot read, or which have no end.

Both engines then read, or plan with, the file instead of the table.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from firesteel.catalog.schema import Column, Table
from firesteel.connectors.registry import validate_table
from firesteel.errors import UsageError
from firesteel.formats.base import Fields
from firesteel.formats.files import file_writer
from firesteel.formats.registry import find_format
from firesteel.plan.nodes.physical import Sink, TableSourceScan
from firesteel.plan.tree import Node, walk
from firesteel.session.show import create_table
from firesteel.spark.in_process.host import InProcessJob, MicroBatch
from firesteel.testing.flink.requests import Asked, run
from firesteel.testing.script import Script, query
from firesteel.testing.verify.inputs import read_inputs
from firesteel.testing.verify.rows_left import as_table
from firesteel.types.sql import quoted_name

CONNECTORS = ("filesystem", "print", "blackhole")
"""Connectors of Flink's package from PyPI. Its datagen makes other rows than Firesteel's."""
FORMATS = ("json", "csv", "raw", "canal-json", "debezium-json", "maxwell-json", "ogg-json")
"""Formats of Flink's package from PyPI."""
_GENERATED = ("datagen", "nexmark")
_NO_FILE = {"all": "canal-json", "requested": "canal-json", "insert-only": "json"}
"""Format of the files that replace a sink, by its `sink_mode`. Other sinks become `blackhole`."""
_ALWAYS_ENDS = ("kafka", "upsert-kafka", "filesystem")
"""Connectors whose unbounded tables can be read up to the end that they have now."""


class StandIns:
    """Files that stand in for the tables of a script.

    Args:
        script: The script.
        folder: Folder for the files.
        has_jars: Whether the user has given jars with connectors and formats to Flink.
    """

    def __init__(self, script: Script, folder: Path, *, has_jars: bool) -> None:
        self._script, self._folder, self._has_jars = script, folder, has_jars

    def put(self, asked: Asked, plans: Sequence[Node]) -> None:
        """Replace the tables of plans that Flink cannot read or write, in both engines' catalogs.

        Args:
            asked: The statement. Its `setup` gets the requests that replace the tables in Flink, its `notes`
                a remark for each replaced table that is read.
            plans: Its physical plans.

        Raises:
            FiresteelError: A table cannot be replaced.
        """
        nodes = [node for plan in plans for node in walk(plan)]
        read = {node.table.path: node.table for node in nodes if isinstance(node, TableSourceScan)}
        written = {node.table.path: node.table for node in nodes if isinstance(node, Sink)}
        for path, used in read.items():
            reason = source_reason(used, has_jars=self._has_jars)
            if reason is None:
                continue
            if used.hints:
                raise UsageError(
                    f"'{used.name}' has an OPTIONS hint, and a file would stand in for it: {reason}"
                )
            table = self._table(path)
            self._replace(asked, table, as_file(self._script, table, self._folder))
            asked.notes.append(f"a file stands in for {used.name}: {reason}")
        for path in written.keys() - read.keys():
            table = self._table(path)
            if _lack(table, has_jars=self._has_jars) is not None:
                self._replace(asked, table, as_sink(table, self._folder))

    def _table(self, path: tuple[str, str, str]) -> Table:
        found = self._script.environment.catalog.find(path)
        assert isinstance(found, Table)
        return found

    def _replace(self, asked: Asked, table: Table, other: Table) -> None:
        self._script.environment.catalog.replace(other)
        asked.setup += [run(drop_statement(table)), run(definition(other))]


def source_reason(table: Table, *, has_jars: bool) -> str | None:
    """Return why a file must stand in for a table that is read; None if Flink can read it.

    Args:
        table: The table.
        has_jars: Whether Flink has jars with connectors and formats.
    """
    connector = dict(table.options).get("connector", "")
    if connector in _GENERATED:
        return f"each run of {connector} makes other rows"
    if table.traits is not None and not table.traits.bounded:
        return "it has no end"
    return _lack(table, has_jars=has_jars)


def _lack(table: Table, *, has_jars: bool) -> str | None:
    """Return why Flink cannot read or write a table: no connector or no format. None if it can."""
    options = dict(table.options)
    connector, format_ = options.get("connector", ""), options.get("format", "")
    if has_jars or not connector:
        return None
    if connector not in CONNECTORS:
        return f"Flink's package has no connector {connector}"
    if format_ and format_ not in FORMATS:
        return f"Flink's package has no format {format_}"
    return None


def as_sink(table: Table, folder: Path) -> Table:
    """Return a table with the same columns that both engines can plan as a sink. Nothing is written to it."""
    mode = "insert-only" if table.traits is None else table.traits.sink_mode
    found = _NO_FILE.get(mode)
    if found is None:
        options: tuple[tuple[str, str], ...] = (("connector", "blackhole"),)
    else:
        options = _file_options(folder / f"sink-{table.name}", found)
    return _redefined(table, table.columns, options)


def as_file(script: Script, table: Table, folder: Path) -> Table:
    """Write the rows of a table to a file, and return a table that reads this file.

    An unbounded table of Kafka or of files is read up to its present end.

    Args:
        script: The script.
        table: The table.
        folder: Folder for the file.

    Raises:
        UsageError: The table is unbounded, and its connector has no present end.
        FiresteelError: The table cannot be read, or JSON has no form for its columns.
    """
    assert table.traits is not None
    connector = dict(table.options)["connector"]
    if not table.traits.bounded and connector not in _ALWAYS_ENDS:
        raise UsageError(f"'{table.name}' has no end: bound it, for example with 'number-of-rows'")
    columns = tuple(_written(column) for column in table.columns)
    stored = tuple(column for column in columns if column.computed is None)
    format_ = "json" if table.traits.changelog_mode.is_insert_only else "canal-json"
    file = folder / f"{len(list(folder.iterdir()))}-{table.name}.json"
    _write(_rows(script, table, stored), stored, format_, file)
    return _redefined(table, columns, _file_options(file, format_))


def definition(table: Table) -> str:
    """Return the statement that creates a table."""
    (row,) = create_table(table).collect()
    return str(row[0]).rstrip()


def drop_statement(table: Table) -> str:
    """Return the statement that drops a table."""
    path = ".".join(map(quoted_name, table.path))
    return f"DROP {'TEMPORARY ' if table.temporary else ''}TABLE {path}"


def _written(column: Column) -> Column:
    """Return a table's column as a column of the file; a metadata column becomes an ordinary one."""
    return replace(column, metadata=None, virtual=False)


def _redefined(table: Table, columns: tuple[Column, ...], options: tuple[tuple[str, str], ...]) -> Table:
    changed = replace(table, columns=columns, options=options, partition_keys=(), traits=None)
    return validate_table(changed)


def _file_options(path: Path, format_: str) -> tuple[tuple[str, str], ...]:
    return ("connector", "filesystem"), ("path", str(path)), ("format", format_)


def _rows(script: Script, table: Table, columns: tuple[Column, ...]) -> pa.Table:
    """Read some columns of a table, and return its changes."""
    path = ".".join(map(quoted_name, table.path))
    names = ", ".join(quoted_name(column.name) for column in columns)
    planned = script.planned(query(f"SELECT {names} FROM {path}", table.name))
    inputs = read_inputs(script, planned, None)
    rows = {chain: each.projected() for chain, each in inputs.items()}
    job = InProcessJob(planned.job, at_once=True)
    batch = MicroBatch(rows, time.time_ns() // 1_000_000, ends=planned.job.bounded)
    return as_table(list(job.run(batch)), planned.job.sinks[0].types)


def _write(changes: pa.Table, columns: tuple[Column, ...], format_: str, file: Path) -> None:
    """Write changes with these columns to a file, in the format with the name `format_`."""
    names, types = tuple(c.name for c in columns), tuple(c.type for c in columns)
    found = find_format(format_)
    with file.open("wb") as stream:
        writer = file_writer(found, Fields(names, types, names, types), {}, stream)
        writer.write(changes)
        writer.close()
