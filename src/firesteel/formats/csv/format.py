"""The format csv: records of text. INSERT only. Flink: CsvFileFormatFactory, CsvReaderFormat."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

import pyarrow as pa

from firesteel.changelog import INSERT_ONLY, RowKind
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Indices, Options
from firesteel.formats.csv.batch_decoder import CsvColumns
from firesteel.formats.csv.csv_parser import CsvReader, OpenQuote, Record
from firesteel.formats.csv.encode import CsvEncoder
from firesteel.formats.csv.framing import Records
from firesteel.formats.csv.options import OPTIONS, CsvOptions, csv_options
from firesteel.formats.csv.row_decoder import CsvConverters, check_types, too_short
from firesteel.formats.messages.control_messages import quoted
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.message_decoder import MessageDecoder, Row, changes_schema
from firesteel.formats.messages.message_text import csv_text
from firesteel.types.sql import SqlType


class _OfFile(MessageDecoder):
    """Decoder of a csv file, whose first record may begin with a byte order mark."""

    _started = False

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        if not self._started and len(messages):
            self._started = True
            first = messages[0].as_py() or b""
            if first.startswith(codecs.BOM_UTF8):
                first = first.removeprefix(codecs.BOM_UTF8)
                messages = pa.concat_arrays([pa.array([first], pa.binary()), messages[1:]])
        return super().decode(messages)


class _Fatal(BadMessage):
    """Error for a record after which nothing can be read, so that `ignore-parse-errors` cannot skip it."""


class CsvRecords:
    """Exact reader of single csv records (message_decoder.Exact)."""

    def __init__(self, fields: Fields, options: CsvOptions) -> None:
        converters = CsvConverters(
            separator=options.array_delimiter,
            null_literal=options.null_literal,
            ignore_errors=options.ignore_parse_errors,
        )
        self._fields = fields
        self._options = options
        self.ignored: Exception | None = None
        self._width = len(fields.all_names)
        self._places = [fields.all_names.index(name) for name in fields.names]
        self._converters = [converters.converter(kind) for kind in fields.types]

    def error(self, message: bytes, reason: str) -> str:
        try:
            record = CsvReader(message.decode("utf-8", "replace"), self._options.dialect).next()
        except OpenQuote:
            return f"{reason}."
        text = self._options.dialect.delimiter.join(record.values) if record else ""
        return f"Failed to deserialize CSV row '{quoted(text.encode())}'. {reason}"

    def read(self, message: bytes) -> Sequence[Row] | None:
        try:
            record = self._record(message)
            if record is None:
                return ()
            if record.error is not None:
                raise self._refused(record, record.error)
            return [(RowKind.INSERT, self._converted(record.values))]
        except _Fatal:
            raise
        except (BadMessage, ValueError) as error:
            if not self._options.ignore_parse_errors:
                raise
            self.ignored = error
            return None

    def _record(self, message: bytes) -> Record | None:
        text, wrong = csv_text(message, whole=not self._fields.in_file)
        reader = CsvReader(text, self._options.dialect)
        try:
            record = reader.next()
            if wrong is None or text[: reader.position].endswith(("\n", "\r")):
                return record
        except OpenQuote:
            if wrong is None:
                raise
        error = f"Invalid UTF-8 byte 0x{wrong:02x}."
        raise _Fatal(error) if self._fields.in_file else ValueError(error)

    def _refused(self, record: Record, error: str) -> ValueError | _Fatal:
        """Return the error for a bad record: _Fatal if it ends the job despite `ignore-parse-errors`.

        In files, Flink's CsvReaderFormat ignores the first error of a record. But the code that then skips
        the rest of the record catches no errors. So a second error is fatal. The first error is fatal, too,
        if it is in a value that this code skips. In a table of 3 columns, an error in value 4 is ignored, but
        an error in value 5 is fatal.
        """
        beyond = error if record.wrong > self._width + 1 else record.beyond
        ignores = self._options.ignore_parse_errors and self._fields.in_file
        return _Fatal(beyond) if ignores and beyond is not None else ValueError(error)

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
                row.append(None if text is None else convert(text))
            except ValueError as error:
                raise ValueError(f"Fail to deserialize at field: {name}. {error}") from None
        return tuple(row)


class Csv:
    """The format `csv`, which reads and writes records of text."""

    name = "csv"
    changelog_mode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = OPTIONS

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        csv_options(options)
        check_types(names, types)

    def framing(self, options: Options) -> Framing:
        return Records(csv_options(options).dialect)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        parsed, schema = csv_options(options), changes_schema(fields.types)
        columns = CsvColumns(fields, parsed, schema) if CsvColumns.can_read(fields, parsed) else None
        made = _OfFile if fields.in_file else MessageDecoder
        return made(
            CsvRecords(fields, parsed),
            columns,
            schema,
            keeps_line_end=True,
            ignores=parsed.ignore_parse_errors,
        )

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        return CsvEncoder(fields, csv_options(options))
