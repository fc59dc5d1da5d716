"""The connector `kafka`. Flink: KafkaDynamicTableFactory."""

from __future__ import annotations

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.kafka.error_options import error_topic_sink
from firesteel.connectors.kafka.metadata import (
    SINK_CLASS,
    check_metadata,
    check_written,
    read_keys,
    written_keys,
)
from firesteel.connectors.kafka.options import OPTIONS, check_table, read_options, topics_of, value_of
from firesteel.connectors.kafka.sink import KafkaSink
from firesteel.connectors.kafka.source import KafkaSource
from firesteel.formats.base import Format
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec


class Kafka:
    """The connector `kafka`, which reads and writes topics."""

    name = "kafka"
    options = OPTIONS
    reads_messages = True

    def validate(self, table: Table) -> None:
        check_table(table)
        check_metadata(table, _value_format(table))

    def traits(self, table: Table) -> SourceTraits:
        options, found = dict(table.options), _value_format(table)
        return SourceTraits(
            changelog_mode=found.changelog_mode,
            bounded=read_options(options).end is not None,
            pushes_projection=False,
            writable=True,
            sink_mode=found.sink_mode,
            metadata=read_keys(found),
            sink_metadata=written_keys(topics_of(options)),
            sink_class=SINK_CLASS,
        )

    def source(self, scan: ScanSpec) -> Source:
        return KafkaSource(scan, dict(scan.options))

    def error_sink(self, scan: ScanSpec) -> SinkSpec | None:
        return error_topic_sink(scan)

    def sink(self, sink: SinkSpec) -> Sink:
        check_written(sink)
        return KafkaSink(sink, dict(sink.options))


def _value_format(table: Table) -> Format:
    names = tuple(column.name for column in table.columns if column.is_physical)
    return value_of(dict(table.options), names).format
