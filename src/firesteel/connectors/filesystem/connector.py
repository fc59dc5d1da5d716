"""The connector `filesystem`: files in directories. Flink: FileSystemTableFactory."""

from __future__ import annotations

import re

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.config.option import TypedOptions, invalid
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.filesystem.options import MONITOR, OPTIONS, success_file
from firesteel.connectors.filesystem.partitions import READABLE
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.filesystem.source import METADATA, FilesystemSource
from firesteel.connectors.lookup.caches import cached
from firesteel.connectors.lookup.options import OPTIONS as LOOKUPS
from firesteel.connectors.lookup.options import cache_of
from firesteel.connectors.lookup.scanned_table import ScannedTable
from firesteel.connectors.options import (
    PARALLELISM,
    check_expression,
    check_required,
    check_unknown,
    keys,
    warn_of_unknown,
)
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.registry import find_format
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec


class Filesystem:
    """The connector `filesystem`, which reads and writes files (connectors/base.py: Connector)."""

    name = "filesystem"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_required(options, OPTIONS)
        found = find_format(options["format"], "format")
        prefix = f"{found.name}."
        lookups = set(keys(LOOKUPS))  # Flink's error lists no lookup options: its files have none.
        own = {k: v for k, v in options.items() if not k.startswith(prefix) and k not in lookups}
        check_unknown(self.name, own, [key for key in keys(OPTIONS) if key not in lookups])
        warn_of_unknown(options, prefix, keys(found.options))
        physical = [c for c in table.columns if c.is_physical and c.name not in table.partition_keys]
        found.validate(
            {key.removeprefix(prefix): value for key, value in table.options if key.startswith(prefix)},
            tuple(column.name for column in physical),
            tuple(column.type for column in physical),
        )
        _check_source_options(options)
        for column in table.columns:
            if column.name in table.partition_keys and column.type.root not in READABLE:
                raise NotSupportedError(
                    f"PARTITIONED BY {column.name}, a {column.type.with_nullable(True)}, is not supported: "
                    "Flink cannot read the folders that it writes of it.",
                    hint="use a STRING, a BOOLEAN, a TIMESTAMP, or a number that is no DECIMAL",
                )
        for column in table.columns:
            if column.metadata is not None and column.metadata not in METADATA:
                listed = "\n".join(METADATA)
                raise ValidationError(
                    f"Invalid metadata key '{column.metadata}' in column '{column.name}' of table "
                    f"'{'.'.join(table.path)}'. The DynamicTableSource class "
                    "'org.apache.flink.connector.file.table.FileSystemTableSource' supports the following "
                    f"metadata keys for reading:\n{listed}"
                )

    def traits(self, table: Table) -> SourceTraits:
        options = dict(table.options)
        found = find_format(options["format"], "format")
        return SourceTraits(
            changelog_mode=found.changelog_mode,
            bounded=MONITOR not in options,
            pushes_filter=True,
            pushes_limit=True,
            readable=True,
            writable=True,
            sink_mode=found.sink_mode,
            metadata=tuple(METADATA.items()),
            has_lookups=found.changelog_mode.is_insert_only,
        )

    def source(self, scan: ScanSpec) -> Source:
        return FilesystemSource(scan)

    def lookup(self, table: LookupTable) -> Lookup:
        scanned = ScannedTable(table, lambda: FilesystemSource(table.scan))
        return cached(scanned, scanned.read, cache_of(dict(table.scan.options)))

    def sink(self, sink: SinkSpec) -> Sink:
        return FilesystemSink(sink)


def _check_source_options(options: dict[str, str]) -> None:
    values = TypedOptions(OPTIONS, options)
    known = keys(OPTIONS)
    read = {key: values[key] for key in options if key in known}
    # An interval of `1 ns` is parsed as 0 ms, but is valid. Only a text without a digit 1 to 9 is an error.
    if read.get(MONITOR) == 0 and not re.search("[1-9]", options[MONITOR]):
        raise invalid(MONITOR, "it must be longer than nothing")
    if read.get(PARALLELISM.key) == 0:
        raise invalid(PARALLELISM.key, "it must be at least 1")
    success_file(values)
    cache_of(options)
    check_expression(options, "source.path.regex-pattern")
