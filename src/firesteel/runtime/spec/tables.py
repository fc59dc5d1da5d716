"""Settings of sources, literal rows and sinks."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.changelog import INSERT_ONLY, ChangelogMode
from firesteel.types.constraints import Constraints
from firesteel.types.sql import SqlType
from firesteel.types.value_parts import Parts


@dataclass(frozen=True)
class ScanSpec:
    """A source and the columns that are read from it.

    Attributes:
        connector: Name of the connector.
        options: Options of the table.
        names: Names of the physical and metadata columns.
        types: Types of these columns.
        projection: Positions in `names` that are read, in output order: f0 is `names[projection[0]]`.
        metadata: For each name the metadata key, None for a physical column.
        time_zone: Session time zone.
        table: Path of the table, for errors.
        upsert_key: Primary key of a source that sends updates without the rows before them.
        partition_keys: Columns of PARTITIONED BY.
        parts: For each column of `projection`, the paths of the nested values that the query reads
            (types/value_parts.py). For example, (("state",), ("city",)) stands for two fields of a ROW. A
            source may leave out all other nested values. ((),) reads the column as a whole. If `parts` itself
            is (), all columns are read as a whole.
    """

    connector: str
    options: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    projection: tuple[int, ...]
    metadata: tuple[str | None, ...] = ()
    time_zone: str = "UTC"
    table: str = ""
    upsert_key: tuple[str, ...] = ()
    partition_keys: tuple[str, ...] = ()
    parts: tuple[Parts, ...] = ()


@dataclass(frozen=True)
class ValuesSpec:
    """Literal rows.

    Attributes:
        types: Types of the columns.
        rows: DuckDB SQL text of each cell, by row.
        functions: Signatures of the Python functions that the SQL calls (functions/duckdb/registry.py).
    """

    types: tuple[SqlType, ...]
    rows: tuple[tuple[str, ...], ...]
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class LateInput:
    """One input of an operator whose late rows go to a dead-letter table.

    Attributes:
        chain: Number of the operator's chain.
        operator: Position of the operator in its chain.
        port: The input.
        name: Name of the operator.
        names: Names of the input's columns.
        types: Types of these columns.
    """

    chain: int
    operator: int
    port: int
    name: str
    names: tuple[str, ...]
    types: tuple[SqlType, ...]


@dataclass(frozen=True)
class SinkSpec:
    """Destination of the results.

    Attributes:
        connector: Name of the connector. None collects the rows for the terminal or the caller.
        options: Options of the table.
        names: Names of the columns.
        types: Types of the columns.
        table: Path of the table.
        constraints: Constraints that rows must satisfy (runtime/operators/sink/constraint_checks.py).
        primary_key: Positions of the primary key.
        mode: Kinds of changes that the sink gets.
        metadata: For each name the metadata key, None for a physical column.
        partition_keys: Columns of PARTITIONED BY.
        takes_dead_letters: Whether it gets the messages that sources of the job cannot read
            (connectors/dead_letters.py), or rows that sinks of the job refuse. No chain feeds such a sink.
        dead_letter_source: Path of the only table whose messages such a sink gets; "" for all tables that
            have no dead-letter sink of their own.
        takes_refused_rows: Whether it gets only the rows that sinks refuse while they commit
            (connectors/refused_rows.py).
        late_inputs: Inputs of operators whose late rows it gets.
    """

    connector: str | None
    options: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    table: str = ""
    constraints: Constraints | None = None
    primary_key: tuple[int, ...] = ()
    mode: ChangelogMode = INSERT_ONLY
    metadata: tuple[str | None, ...] = ()
    partition_keys: tuple[str, ...] = ()
    takes_dead_letters: bool = False
    dead_letter_source: str = ""
    takes_refused_rows: bool = False
    late_inputs: tuple[LateInput, ...] = ()
