"""The connector `blackhole`: accepts all rows and discards them. Flink: BlackHoleTableSinkFactory."""

from __future__ import annotations

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.options import CONNECTOR, VERSION, WATERMARKS, check_unknown, keys
from firesteel.errors import ValidationError
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

OPTIONS = (CONNECTOR, VERSION, *WATERMARKS)


class BlackholeSink(Sink):
    """Sink that discards all rows."""

    def write(self, changes: pa.Table) -> None:
        return None


class Blackhole:
    """The connector `blackhole`."""

    name = "blackhole"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        check_unknown(self.name, dict(table.options), keys(OPTIONS))

    def traits(self, table: Table) -> SourceTraits:
        return SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="no-update-before")

    def source(self, scan: ScanSpec) -> Source:
        raise ValidationError(
            f"Connector '{self.name}' can only be used as a sink. It cannot be used as a source."
        )

    def sink(self, sink: SinkSpec) -> Sink:
        return BlackholeSink()
