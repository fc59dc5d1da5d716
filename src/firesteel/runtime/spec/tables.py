"""Specs of sources, literal rows and sinks."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.changelog import INSERT_ONLY, ChangelogMode
from firesteel.types.constraints import Constraints
from firesteel.types.sql import SqlType
from firesteel.types.value_parts import Parts


@dataclass(frozen=True)
class ScanSpec:
    """A source: the connector's name, the options of the table, and its physical and metadata columns.

    projection: positions in `names` that are wanted, in output order (f0 is names[projection[0]]).
    metadata: for each name, the metadata key, or None for a physical column. upsert_key: the primary key of a
    source that sends rows without the rows before. partition_keys: the columns of PARTITIONED BY. parts: of
    each wanted column those that are looked at; none where that is all of all. A source may leave out others.
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
    """Literal rows: one DuckDB SQL text a cell; `functions` as in CalcSpec."""

    types: tuple[SqlType, ...]
    rows: tuple[tuple[str, ...], ...]
    functions: tuple[str, ...] = ()


@dataclass(frozen=True)
class SinkSpec:
    """Where the results go. connector None: collected for the terminal or the caller. constraints: what rows
    are held to before they go there (runtime/operators/sink/constraint_checks.py). primary_key: positions of
    its columns. mode: the kinds of changes that come. metadata: for each name the key of a metadata column,
    None for a physical one. partition_keys: the columns of PARTITIONED BY."""

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
