"""csv: records of text; inserts alone. Flink: CsvFileFormatFactory, CsvReaderFormat."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import INSERT_ONLY, RowKind
from firesteel.formats.base import Decoder, Encoder, Fields, MessageError, Options
from firesteel.formats.csv_columns import CsvColumns
from firesteel.formats.csv_encode import CsvEncoder
from firesteel.formats.csv_options import OPTIONS, CsvOptions, csv_options
from firesteel.formats.csv_parser import CsvReader, OpenQuote, Record
from firesteel.formats.csv_values import CsvConverters, too_short
from firesteel.formats.line_decoder import changes_schema
from firesteel.types.sql import SqlType

_BOM = b"\xef\xbb\xbf"


class CsvDecoder:
    """A Decoder. Runs of lines without quotes are read by columns; a value that does not fit, or lines with
    quotes, are read record by record. A record may go on in the next block."""

    def __init__(self, fields: Fields, options: CsvOptions) -> None:
        converters = CsvConverters(
            separator=options.array_delimiter, ignore_errors=options.ignore_parse_errors
        )
        self._fields = fields
        self._options = options
        self._width = len(fields.all_names)
        self._places = [fields.all_names.index(name) for name in fields.names]
        self._converters = [converters.converter(kind) for kind in fields.types]
        self._schema = changes_schema(fields.types)
        self._columns = CsvColumns(fields, options, self._schema)
        self._pending = b""
        self._pending_lines = 0
        self._started = False
        self.skipped = 0

    def decode(self, block: memoryview | bytes) -> pa.Table:
        """The rows of a block of whole lines. Raises MessageError."""
        data = self._pending + bytes(block)
        earlier, self._pending, self._pending_lines = self._pending_lines, b"", 0
        if not self._started:
            data = data.removeprefix(_BOM)
            self._started = True
        table = None if earlier else self._columns.read(data)
        if table is not None:
            return table
        return self._exactly(data, earlier)

    def finish(self) -> pa.Table | None:
        """End of the file. Raises MessageError when a quote is still open."""
        if self._pending and self._options.ignore_parse_errors:
            self.skipped += 1
        elif self._pending:
            raise MessageError(-self._pending_lines, "Missing closing quote for value.")
        return None

    def _exactly(self, data: bytes, earlier: int) -> pa.Table:
        """Read record by record; earlier: lines of `data` that came with blocks before this one."""
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) - earlier
            raise MessageError(line, f"Invalid UTF-8 byte 0x{data[error.start]:02x}.") from None
        reader = CsvReader(text, self._options.dialect)
        rows: list[tuple[object, ...]] = []
        for record in self._records(reader):
            row = self._row(record, earlier)
            if row is not None:
                rows.append(row)
        columns = list(zip(*rows, strict=True)) if rows else [()] * (len(self._schema) - 1)
        arrays = [pa.array(np.full(len(rows), RowKind.INSERT, dtype=np.int8))]
        arrays += [pa.array(c, f.type) for c, f in zip(columns, list(self._schema)[1:], strict=True)]
        return pa.Table.from_arrays(arrays, names=self._schema.names)

    def _records(self, reader: CsvReader) -> list[Record]:
        """The complete records; an open one waits for the next block."""
        found: list[Record] = []
        while True:
            start = reader.position
            try:
                record = reader.next()
            except OpenQuote:
                self._pending = reader.rest(start)
                self._pending_lines = self._pending.count(b"\n")
                return found
            if record is None:
                return found
            found.append(record)

    def _row(self, record: Record, earlier: int) -> tuple[object, ...] | None:
        try:
            if record.error is not None:
                raise ValueError(record.error)
            return self._converted(record.values)
        except ValueError as error:
            if self._options.ignore_parse_errors:
                self.skipped += 1
                return None
            delimiter = self._options.dialect.delimiter
            text = f"Failed to deserialize CSV row '{delimiter.join(record.values)}'. {error}"
            raise MessageError(record.line - earlier, text) from None

    def _converted(self, values: list[str]) -> tuple[object, ...]:
        if len(values) == self._width + 1 and not values[-1].strip(" "):
            values = values[:-1]
        if len(values) > self._width:
            raise ValueError(f"Too many entries: expected at most {self._width}")
        if len(values) < len(self._places) and not self._options.ignore_parse_errors:
            raise ValueError(too_short(len(self._places), len(values)))
        row: list[object] = []
        for name, place, convert in zip(self._fields.names, self._places, self._converters, strict=True):
            text = values[place] if place < len(values) else None
            try:
                row.append(None if text is None or text == self._options.null_literal else convert(text))
            except ValueError as error:
                raise ValueError(f"Fail to deserialize at field: {name}. {error}") from None
        return tuple(row)


class Csv:
    """The format `csv`."""

    name = "csv"
    changelog_mode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = OPTIONS

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        csv_options(options)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        return CsvDecoder(fields, csv_options(options))

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        return CsvEncoder(fields, csv_options(options))
