"""Conversion of tables to and from streaming DataFrames, in the form of Delta's change feed.

Each row of such a DataFrame is a change. Its column `_change_type` is insert, update_preimage,
update_postimage or delete. For Spark it is an append-only stream, so any Spark sink can write it.
"""

from __future__ import annotations

import itertools
import tempfile
from typing import TYPE_CHECKING

from firesteel.catalog.schema import Column, SourceTraits
from firesteel.catalog.schema import Table as SchemaTable
from firesteel.changelog import ALL, INSERT_ONLY
from firesteel.errors import NotSupportedError, UsageError, ValidationError
from firesteel.session.context import Environment
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.session.row_time import RowTime, with_row_time
from firesteel.session.running.host_settings import stream_settings
from firesteel.session.snapshot import snapshot
from firesteel.session.table import Table
from firesteel.spark.shipped_code import ship_code
from firesteel.spark.stream.changelog_frame import changes_frame
from firesteel.spark.stream.frame_source import CHANGE_TYPE, COMMIT_VERSION, CONNECTOR
from firesteel.spark.temporary import process_folder
from firesteel.sql.lexer import one_line
from firesteel.sql.parser import parse_query
from firesteel.types import sql
from firesteel.types.sql import SqlType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType


def to_changelog_stream(environment: Environment, table: Table) -> DataFrame:
    """Return the changes of a table as a streaming DataFrame, with `_change_type` as first column.

    The DataFrame runs when it is written with `writeStream`, under the checkpoint given there. A `filesystem`
    source also keeps a log, to which its offsets refer. The log is in `execution.checkpointing.dir`. If this
    option is not set, it is in a temporary folder.

    The environment's Spark session gets the settings that state needs: RocksDB as state store, and
    `parallelism.default` shuffle partitions. If this option is not set, the session's own number of shuffle
    partitions stays, except for Spark's default of 200: it becomes one partition for each core.

    Raises:
        NotSupportedError: Spark has no type for a column.
    """
    bound = parse_query(table.query)
    physical = plan(environment, bound, table.query, collect=True).physical
    job = job_of(environment, [physical])
    settings = stream_settings(environment, job, one_line(table.query))
    folder = settings.checkpoint or tempfile.mkdtemp(prefix="sources-", dir=process_folder())
    ship_code(environment.spark, job)
    return changes_frame(job, environment.spark, settings, folder, environment.frames)


def from_changelog_stream(
    environment: Environment, frame: DataFrame, primary_key: list[str], time: RowTime | None = None
) -> Table:
    """Return the changes in a DataFrame as a table.

    A DataFrame that does not stream is read now, as one bounded batch.

    Args:
        environment: The session.
        frame: The DataFrame. Without a column `_change_type`, every row is an insert.
        primary_key: Names of the columns of the primary key; empty for none.
        time: The row time and its watermarks; None for no row time.

    Raises:
        ValidationError: The columns fit neither a table nor a change feed, or lack a primary key column.
        NotSupportedError: Flink SQL has no type for a column. Or the DataFrame does not stream, and Spark is
            a cluster.
    """
    _check(frame, primary_key)
    columns = tuple(
        Column(
            field.name,
            sql_type(field.dataType).with_nullable(field.nullable and field.name not in primary_key),
        )
        for field in frame.schema.fields
        if field.name != CHANGE_TYPE
    )
    options: tuple[tuple[str, str], ...] = (("connector", CONNECTOR),)
    if not frame.isStreaming:
        options = snapshot(environment, frame, {column.name: column.type for column in columns})
    watermark = None
    if time is not None:
        columns, watermark = with_row_time(columns, time)
    mode = ALL if CHANGE_TYPE in frame.columns else INSERT_ONLY
    catalog, database, name = environment.catalog.path((_new_name(environment),))
    made = SchemaTable(
        catalog,
        database,
        name,
        columns,
        options,
        primary_key=tuple(primary_key),
        watermark=watermark,
        temporary=True,
        traits=SourceTraits(mode, bounded=not frame.isStreaming),
    )
    environment.catalog.create(made)
    if frame.isStreaming:
        environment.frames[".".join(made.path)] = frame
    return Table(environment, f"SELECT * FROM `{name}`").checked()


def _new_name(environment: Environment) -> str:
    """Return a name that no table of the current database has."""
    taken = set(environment.catalog.names())
    return next(name for number in itertools.count() if (name := f"dataframe_{number}") not in taken)


def _check(frame: DataFrame, primary_key: list[str]) -> None:
    """Raise ValidationError if the columns are wrong, UsageError if `frame` is not a DataFrame."""
    from pyspark.sql import DataFrame
    from pyspark.sql.types import IntegralType, StringType

    if not isinstance(frame, DataFrame):
        raise UsageError(f"a DataFrame is expected, got {type(frame).__name__}")
    names = frame.columns
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValidationError(f"the DataFrame has several columns named {twice[0]!r}", hint="rename them")
    if not set(names) - {CHANGE_TYPE}:
        raise ValidationError("the DataFrame has no columns besides the kind of change")
    for name, wanted, text in (
        (CHANGE_TYPE, StringType, "a string: insert, update_preimage, update_postimage or delete"),
        (COMMIT_VERSION, IntegralType, "a whole number"),
    ):
        if name in names and not isinstance(found := frame.schema[name].dataType, wanted):
            raise ValidationError(f"{name} must be {text}, not {found.simpleString()}")
    if isinstance(primary_key, str):
        raise ValidationError(f"primary_key takes a list of names: [{primary_key!r}]")
    if unknown := sorted(set(primary_key) - set(names) | {CHANGE_TYPE} & set(primary_key)):
        raise ValidationError(f"primary key: the DataFrame has no column {unknown[0]!r}")


def sql_type(kind: DataType) -> SqlType:
    """Return Flink's type for a Spark type. Raises NotSupportedError if there is none."""
    from pyspark.sql import types as spark

    if isinstance(kind, spark.DecimalType):
        return sql.decimal(kind.precision, kind.scale)
    if isinstance(kind, spark.ArrayType):
        return sql.array(sql_type(kind.elementType))
    if isinstance(kind, spark.MapType):
        return sql.map_of(sql_type(kind.keyType), sql_type(kind.valueType))
    if isinstance(kind, spark.StructType):
        return sql.row(tuple(kind.names), tuple(sql_type(field.dataType) for field in kind.fields))
    found = _TYPES.get(kind.typeName())
    if found is None:
        raise NotSupportedError(f"a DataFrame's column of type {kind.simpleString()}")
    return found


_TYPES = {
    "boolean": sql.BOOLEAN,
    "byte": sql.TINYINT,
    "short": sql.SMALLINT,
    "integer": sql.INT,
    "long": sql.BIGINT,
    "float": sql.FLOAT,
    "double": sql.DOUBLE,
    "string": sql.STRING,
    "binary": sql.BYTES,
    "date": sql.DATE,
    "timestamp": sql.timestamp_ltz(6),
    "timestamp_ntz": sql.timestamp(6),
}
"""Flink types by the name of the Spark type."""
