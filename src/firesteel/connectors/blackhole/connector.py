"""The connector `blackhole`: takes every row and keeps none. Flink: BlackHoleTableSinkFactory."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Commits, Sink, Source
from firesteel.connectors.options import CONNECTOR, VERSION, WATERMARKS, check_unknown, keys
from firesteel.errors import ValidationError
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

OPTIONS = (CONNECTOR, VERSION, *WATERMARKS)


class BlackholeSink:
    """Discards rows."""

    commits = Commits.DRIVER
    on_driver = False

    def open(self, job: str) -> None:
        return None

    def open_task(self, job: str, batch: int, partition: int) -> None:
        return None

    def write(self, changes: pa.Table) -> None:
        return None

    def close_task(self) -> str:
        return ""

    def abort_task(self) -> None:
        return None

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        return None

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        return None


class Blackhole:
    """See connectors/base.py: Connector."""

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
