"""The connector `print`: rows as lines on standard output or error. Flink: PrintTableSinkFactory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.connectors.base import Sink, Source
from firesteel.connectors.options import WATERMARKS, check_unknown, flag, integer
from firesteel.connectors.print_format import lines
from firesteel.errors import ValidationError
from firesteel.runtime.spec import ScanSpec, SinkSpec

OPTIONS = (
    *("connector", "print-identifier", "property-version", "sink.parallelism", "standard-error"),
    *WATERMARKS,
)


class PrintSink:
    """Writes where the terminal is. The prefix tells sink and subtask, as in Flink: `ID:1> `."""

    on_driver = True

    def __init__(self, spec: SinkSpec) -> None:
        options = dict(spec.options)
        self._types = spec.types
        self._identifier = options.get("print-identifier", "")
        self._parallelism = integer(options, "sink.parallelism", 1)
        self._to_error = flag(options, "standard-error", default=False)

    def open(self, job: str | None = None) -> None:
        return None

    def write(self, changes: Iterable[pa.Table], batch_id: int, partition: int) -> list[str]:
        stream = sys.stderr if self._to_error else sys.stdout
        prefix = self._prefix(partition)
        for table in changes:
            text = "".join(f"{prefix}{line}\n" for line in lines(table, self._types))
            stream.write(text)
        stream.flush()
        return []

    def commit(self, batch_id: int, written: Sequence[str]) -> None:
        return None

    def _prefix(self, partition: int) -> str:
        parts = [self._identifier] if self._identifier else []
        if self._parallelism > 1:
            parts.append(str(partition % self._parallelism + 1))
        return f"{':'.join(parts)}> " if parts else ""


class Print:
    """See connectors/base.py: Connector."""

    name = "print"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_unknown(self.name, options, OPTIONS)
        flag(options, "standard-error", default=False)
        integer(options, "sink.parallelism", 1, least=1)

    def traits(self, table: Table) -> SourceTraits:
        return SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="requested")

    def source(self, scan: ScanSpec) -> Source:
        raise ValidationError(
            f"Connector '{self.name}' can only be used as a sink. It cannot be used as a source."
        )

    def sink(self, sink: SinkSpec) -> Sink:
        return PrintSink(sink)
