"""The connector `blackhole`: takes every row and keeps none. Flink: BlackHoleTableSinkFactory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.options import WATERMARKS, check_unknown
from firesteel.errors import ValidationError
from firesteel.runtime.spec import ScanSpec, SinkSpec

OPTIONS = ("connector", "property-version", *WATERMARKS)


class BlackholeSink:
    """Discards rows."""

    on_driver = False

    def open(self, job: str | None = None) -> None:
        return None

    def write(self, changes: Iterable[pa.Table], batch_id: int, partition: int) -> list[str]:
        for _ in changes:
            pass
        return []

    def commit(self, batch_id: int, written: Sequence[str]) -> None:
        return None


class Blackhole:
    """See connectors/base.py: Connector."""

    name = "blackhole"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        check_unknown(self.name, dict(table.options), OPTIONS)

    def traits(self, table: Table) -> SourceTraits:
        return SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="no-update-before")

    def source(self, scan: ScanSpec) -> Source:
        raise ValidationError(
            f"Connector '{self.name}' can only be used as a sink. It cannot be used as a source."
        )

    def sink(self, sink: SinkSpec) -> Sink:
        return BlackholeSink()
