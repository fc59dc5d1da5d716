"""The connector `jdbc`. Flink: JdbcDynamicTableFactory."""

from __future__ import annotations

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.jdbc.lookup import JdbcLookup
from firesteel.connectors.jdbc.options import OPTIONS, jdbc_options
from firesteel.connectors.jdbc.sink import JdbcSink
from firesteel.connectors.jdbc.source import JdbcSource
from firesteel.connectors.lookup.caches import cached
from firesteel.connectors.lookup.scanned_table import ScannedTable
from firesteel.connectors.options import check_required, check_unknown, integer, keys
from firesteel.runtime.operators.lookup_join.lookup import Lookup
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec


class Jdbc:
    """The connector `jdbc`, which reads and writes tables of databases."""

    name = "jdbc"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_required(options, OPTIONS)
        check_unknown(self.name, options, keys(OPTIONS))
        integer(options, "sink.parallelism", 1, least=1)
        physical = [column for column in table.columns if column.is_physical]
        jdbc_options(options).dialect.check(
            [column.name for column in physical], [column.type for column in physical]
        )

    def traits(self, table: Table) -> SourceTraits:
        return SourceTraits(
            INSERT_ONLY,
            bounded=True,
            writable=True,
            sink_mode="upsert",
            has_lookups=True,
            decides_lookup_filters=dict(table.options).get("filter.handling.policy", "").lower() != "never",
        )

    def source(self, scan: ScanSpec) -> Source:
        return JdbcSource(scan, jdbc_options(dict(scan.options)))

    def lookup(self, table: LookupTable) -> Lookup:
        options = jdbc_options(dict(table.scan.options))
        scanned = ScannedTable(table, lambda: JdbcSource(table.scan, options))
        return cached(JdbcLookup(table, options), scanned.read, options.cache)

    def sink(self, sink: SinkSpec) -> Sink:
        return JdbcSink(sink, jdbc_options(dict(sink.options)))
