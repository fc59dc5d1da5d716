"""The connector `upsert-kafka`: a topic in which the last message of a key is the key's current row.

A message without a value deletes the row of its key. Flink: UpsertKafkaDynamicTableFactory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import ChangelogMode
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.kafka.error_options import error_topic_sink
from firesteel.connectors.kafka.metadata import (
    SINK_CLASS,
    check_metadata,
    check_written,
    read_keys,
    written_keys,
)
from firesteel.connectors.kafka.options import OPTIONS as OF_KAFKA
from firesteel.connectors.kafka.options import check_parts, read_options, topics_of
from firesteel.connectors.kafka.sink import KafkaSink
from firesteel.connectors.kafka.sink_options import FLUSH
from firesteel.connectors.kafka.source import KafkaSource
from firesteel.connectors.options import check_required
from firesteel.errors import ValidationError
from firesteel.formats.registry import find_format
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

_NAME = "upsert-kafka"
_NOT_SHARED = (
    *("format", "key.fields", "properties.group.id", "sink.partitioner", "sink.semantic"),
    *("scan.startup.mode", "scan.startup.specific-offsets", "scan.startup.timestamp-millis"),
)
_FORMATS = ("key.format", "value.format")
OPTIONS = (
    *(
        replace(option, required=option.required or option.key in _FORMATS)
        for option in OF_KAFKA
        if option.key not in _NOT_SHARED
    ),
    *FLUSH,
)
_SENT = ChangelogMode(insert=False, update_after=True, delete=True)


class UpsertKafka:
    """The connector `upsert-kafka`, which reads and writes topics by key."""

    name = _NAME
    options = OPTIONS
    reads_messages = True

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_required(options, OPTIONS)
        for option in _FORMATS:
            if not find_format(options[option], option).changelog_mode.is_insert_only:
                raise ValidationError(
                    f"'{_NAME}' connector doesn't support '{options[option]}' as {option.replace('.', ' ')}, "
                    f"because '{options[option]}' is not in insert-only mode.",
                    option=option,
                )
        if not table.primary_key:
            raise ValidationError(
                f"'{_NAME}' tables require to define a PRIMARY KEY constraint. The PRIMARY KEY specifies "
                "which columns should be read from or write to the Kafka message key. The PRIMARY KEY also "
                f"defines records in the '{_NAME}' table should update or delete on which keys."
            )
        check_parts(table, _NAME, _as_kafka(options, table.primary_key), OPTIONS)
        check_metadata(table, find_format(options["value.format"]))

    def traits(self, table: Table) -> SourceTraits:
        options = _as_kafka(dict(table.options), table.primary_key)
        return SourceTraits(
            changelog_mode=_SENT,
            bounded=read_options(options).end is not None,
            pushes_projection=False,
            writable=True,
            sink_mode="upsert",
            metadata=read_keys(find_format(options["value.format"])),
            sink_metadata=written_keys(topics_of(options)),
            sink_class=SINK_CLASS,
        )

    def source(self, scan: ScanSpec) -> Source:
        return KafkaSource(scan, _as_kafka(dict(scan.options), scan.upsert_key), upsert=True)

    def error_sink(self, scan: ScanSpec) -> SinkSpec | None:
        return error_topic_sink(scan)

    def sink(self, sink: SinkSpec) -> Sink:
        check_written(sink)
        key = tuple(sink.names[position] for position in sink.primary_key)
        return KafkaSink(sink, _as_kafka(dict(sink.options), key), upsert=True)


def _as_kafka(options: Mapping[str, str], primary_key: tuple[str, ...]) -> dict[str, str]:
    """Return the options of the connector `kafka` that read and write the table's topic."""
    return {**options, "key.fields": ";".join(primary_key), "scan.startup.mode": "earliest-offset"}
