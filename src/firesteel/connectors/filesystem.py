"""The connector `filesystem`: files in directories. Flink: FileSystemTableFactory."""

from __future__ import annotations

import re

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.filesystem_sink import FILE_SIZE, FilesystemSink
from firesteel.connectors.filesystem_source import METADATA, FilesystemSource
from firesteel.connectors.options import (
    WATERMARKS,
    check_required,
    check_unknown,
    duration,
    invalid,
    memory,
)
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.registry import find_format
from firesteel.runtime.spec import ScanSpec, SinkSpec

OPTIONS = (
    "auto-compaction",
    "compaction.file-size",
    "connector",
    "format",
    "partition.default-name",
    "partition.time-extractor.class",
    "partition.time-extractor.kind",
    "partition.time-extractor.timestamp-formatter",
    "partition.time-extractor.timestamp-pattern",
    "path",
    "property-version",
    *WATERMARKS,
    "sink.parallelism",
    "sink.partition-commit.delay",
    "sink.partition-commit.policy.class",
    "sink.partition-commit.policy.class.parameters",
    "sink.partition-commit.policy.kind",
    "sink.partition-commit.success-file.name",
    "sink.partition-commit.trigger",
    "sink.partition-commit.watermark-time-zone",
    "sink.rolling-policy.check-interval",
    "sink.rolling-policy.file-size",
    "sink.rolling-policy.inactivity-interval",
    "sink.rolling-policy.rollover-interval",
    "sink.shuffle-by-partition.enable",
    "source.monitor-interval",
    "source.path.regex-pattern",
    "source.report-statistics",
)


class Filesystem:
    """See connectors/base.py: Connector."""

    name = "filesystem"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_required(options, ("path", "format"))
        found = find_format(options["format"])
        prefix = f"{found.name}."
        check_unknown(self.name, {k: v for k, v in options.items() if not k.startswith(prefix)}, OPTIONS)
        physical = [column for column in table.columns if column.is_physical]
        found.validate(
            {key.removeprefix(prefix): value for key, value in table.options if key.startswith(prefix)},
            tuple(column.name for column in physical),
            tuple(column.type for column in physical),
        )
        _check_source_options(options)
        if table.partition_keys:
            raise NotSupportedError("PARTITIONED BY is not supported for the filesystem connector.")
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
        found = find_format(options["format"])
        return SourceTraits(
            changelog_mode=found.changelog_mode,
            bounded="source.monitor-interval" not in options,
            pushes_filter=True,
            readable=True,
            writable=True,
            sink_mode=found.sink_mode,
        )

    def source(self, scan: ScanSpec) -> Source:
        return FilesystemSource(scan)

    def sink(self, sink: SinkSpec) -> Sink:
        return FilesystemSink(sink)


def _check_source_options(options: dict[str, str]) -> None:
    duration(options, "source.monitor-interval", 0)
    memory(options, "sink.rolling-policy.file-size", FILE_SIZE)
    try:
        re.compile(options.get("source.path.regex-pattern", ""))
    except re.error as error:
        raise invalid("source.path.regex-pattern", f"it is no regular expression: {error}") from None
