"""The connector `print`: rows as lines on standard output or error. Flink: PrintTableSinkFactory."""

from __future__ import annotations

import sys
from typing import TextIO

import pyarrow as pa

from firesteel.catalog.schema import SourceTraits, Table
from firesteel.changelog import INSERT_ONLY
from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.connectors.base import Commits, Sink, Source
from firesteel.connectors.options import (
    CONNECTOR,
    PARALLELISM,
    VERSION,
    WATERMARKS,
    check_unknown,
    integer,
    keys,
)
from firesteel.connectors.print_format import lines
from firesteel.errors import ValidationError
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec

OPTIONS = (
    CONNECTOR,
    Option("print-identifier", Kind.STRING, "", "Stands before each line."),
    Option("standard-error", Kind.BOOLEAN, "false", "Write to standard error."),
    PARALLELISM,
    VERSION,
    *WATERMARKS,
)


class PrintSink(Sink):
    """Sink that writes rows as lines. The prefix names sink and subtask, as in Flink: `ID:1> `."""

    commits = Commits.DRIVER
    on_driver = True

    def __init__(self, spec: SinkSpec) -> None:
        options = dict(spec.options)
        self._types = spec.types
        values = TypedOptions(OPTIONS, options)
        self._identifier: str = values["print-identifier"]
        self._parallelism = integer(options, "sink.parallelism", 1)
        self._stderr: bool = values["standard-error"]
        self._start = ""

    def open_task(self, job: str, batch: int, partition: int) -> None:
        self._start = self._prefix(partition)

    def write(self, changes: pa.Table) -> None:
        """Write all rows as one text. So if a row cannot be converted to text, no row is written."""
        self._stream.write("".join(f"{self._start}{line}\n" for line in lines(changes, self._types)))

    def close_task(self) -> str:
        self._stream.flush()
        return ""

    @property
    def _stream(self) -> TextIO:
        return sys.stderr if self._stderr else sys.stdout

    def _prefix(self, partition: int) -> str:
        parts = [self._identifier] if self._identifier else []
        if self._parallelism > 1:
            parts.append(str(partition % self._parallelism + 1))
        return f"{':'.join(parts)}> " if parts else ""


class Print:
    """The connector `print`."""

    name = "print"
    options = OPTIONS

    def validate(self, table: Table) -> None:
        options = dict(table.options)
        check_unknown(self.name, options, keys(OPTIONS))
        _ = TypedOptions(OPTIONS, options)["standard-error"]
        integer(options, "sink.parallelism", 1, least=1)

    def traits(self, table: Table) -> SourceTraits:
        return SourceTraits(INSERT_ONLY, readable=False, writable=True, sink_mode="requested")

    def source(self, scan: ScanSpec) -> Source:
        raise ValidationError(
            f"Connector '{self.name}' can only be used as a sink. It cannot be used as a source."
        )

    def sink(self, sink: SinkSpec) -> Sink:
        return PrintSink(sink)
