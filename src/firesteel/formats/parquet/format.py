"""The format parquet: files of columns. INSERT only.

Flink: ParquetFileFormatFactory, ParquetSchemaConverter, ParquetRowDataWriter. Flink passes options to
Hadoop's ParquetOutputFormat. The options that Arrow's writer has are supported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from firesteel.changelog import INSERT_ONLY, KIND, RowKind, field
from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.errors import DataError, FiresteelError, ValidationError
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Options
from firesteel.formats.parquet.columns import from_file, to_file
from firesteel.types.sql import SqlType, TypeRoot

_ROWS = 100_000
_CODECS = ("SNAPPY", "GZIP", "ZSTD", "BROTLI", "LZ4_RAW", "LZ4", "UNCOMPRESSED")
_UNITS = {"millis": "ms", "micros": "us", "nanos": "ns"}


class _Column(Exception):
    """Error for a column whose values do not fit its type. The text names the column."""


class ParquetReader:
    """Reader of Parquet files. A column that a file does not have is NULL.

    Columns are found by name, ignoring case (Flink: ParquetVectorizedInputFormat).
    """

    def __init__(self, fields: Fields, utc: bool) -> None:
        self._fields, self._utc = fields, utc
        # Read 96-bit timestamps in nanoseconds only if a column has more than 6 fractional digits: 64 bits of
        # nanoseconds hold only the years 1677 to 2262.
        self._unit = "ns" if any(map(_has_nanos, fields.types)) else "us"

    def read(self, path: str) -> Iterator[pa.Table]:
        """Yield the changes in a file.

        Raises:
            DataError: The file is invalid, or lacks rows that its footer declares.
        """
        read = 0
        try:
            with pq.ParquetFile(
                path, page_checksum_verification=True, coerce_int96_timestamp_unit=self._unit
            ) as file:
                names = _found_names(file.schema_arrow.names, self._fields.names)
                wanted = [name for name in names if name is not None]
                for batch in file.iter_batches(_ROWS, columns=wanted):
                    batch.validate(full=True)  # Arrow has not checked texts and offsets yet.
                    read += batch.num_rows
                    yield self._changes(batch, names)
                # Compare the number of rows of the whole file, not of each row group: for some damaged files,
                # pyarrow aborts the process if the code asks for a row group.
                if read != file.metadata.num_rows:
                    raise ValueError(f"{read} rows were found, the footer says {file.metadata.num_rows}")
        except FiresteelError:
            raise
        except Exception as error:  # For a damaged file, Arrow may raise any exception.
            raise DataError(f"{path}: cannot be read: {error}") from None

    def _changes(self, batch: pa.RecordBatch, names: list[str | None]) -> pa.Table:
        columns = {KIND: pa.repeat(pa.scalar(int(RowKind.INSERT), pa.int8()), batch.num_rows)}
        for place, (name, kind) in enumerate(zip(names, self._fields.types, strict=True)):
            values = None if name is None else batch.column(batch.schema.get_field_index(name))
            try:
                columns[field(place)] = from_file(values, kind, batch.num_rows, self._utc)
            except (pa.ArrowException, ValueError) as error:
                raise _Column(f"column {self._fields.names[place]}: {error}") from None
        return pa.table(columns)


def _has_nanos(kind: SqlType) -> bool:
    """Return whether the type is or contains a TIMESTAMP with more digits than microseconds."""
    is_time = kind.root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)
    return (is_time and (kind.precision or 0) > 6) or any(map(_has_nanos, kind.children))


def _found_names(there: list[str], wanted: tuple[str, ...]) -> list[str | None]:
    """Return the file's name of each wanted column, ignoring case. None if the file lacks the column."""
    names = {name.lower(): name for name in there}
    found = [names.get(name.lower()) for name in wanted]
    twice = next((name for name in found if name is not None and there.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the column {twice} is there twice")
    return found


class ParquetWriter:
    """Writer of Parquet files."""

    def __init__(self, fields: Fields, options: TypedOptions, stream: BinaryIO) -> None:
        self._fields = fields
        self._utc = options["utc-timezone"]
        self._int64 = _UNITS[options["timestamp.time.unit"]] if options["write.int64.timestamp"] else None
        schema = self._columns(pa.table({field(i): pa.nulls(0) for i in range(len(fields.names))})).schema
        codec = options["compression"].upper()
        self._writer = pq.ParquetWriter(
            stream,
            schema,
            compression="NONE" if codec == "UNCOMPRESSED" else codec.removesuffix("_RAW"),
            use_deprecated_int96_timestamps=self._int64 is None,
            store_schema=False,
            write_page_checksum=True,  # Flink's writer sets this, too. Readers then detect damage.
        )

    def write(self, changes: pa.Table) -> None:
        """Append rows.

        Raises:
            DataError: A point in time is outside the range of the unit in the option `timestamp.time.unit`,
                or of 96-bit timestamps.
        """
        try:
            columns = self._columns(changes)
        except pa.ArrowInvalid as error:
            hint = None if self._int64 else "'parquet.write.int64.timestamp' = 'true' reaches further"
            raise DataError(str(error), hint=hint if "timestamp" in str(error) else None) from None
        self._writer.write_table(columns)

    def close(self) -> None:
        self._writer.close()

    def _columns(self, changes: pa.Table) -> pa.Table:
        arrays, kinds = [], []
        for place, (name, kind) in enumerate(zip(self._fields.names, self._fields.types, strict=True)):
            values = to_file(changes[field(place)], kind, self._utc, self._int64)
            arrays.append(values)
            kinds.append(pa.field(name, values.type, kind.nullable))
        return pa.Table.from_arrays(arrays, schema=pa.schema(kinds))


class Parquet:
    """The format `parquet`, which reads and writes files of columns."""

    name = "parquet"
    changelog_mode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = (
        Option(
            "utc-timezone", Kind.BOOLEAN, "false", "A TIMESTAMP is kept as in UTC, not in the machine's zone."
        ),
        Option("timestamp.time.unit", Kind.STRING, "micros", "Of times of 64 bits.", tuple(_UNITS)),
        Option("write.int64.timestamp", Kind.BOOLEAN, "false", "Times are written in 64 bits, not in 96."),
        Option("compression", Kind.STRING, "SNAPPY", "One of " + ", ".join(_CODECS) + "."),
        Option("batch-size", Kind.INTEGER, "2048", "Has no effect."),
    )

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check the options.

        Raises:
            ValidationError: An option is wrong.
        """
        values = TypedOptions(self.options, options)
        if values["compression"].upper() not in _CODECS:
            raise ValidationError(
                f"'parquet.compression' = '{values['compression']}' is none of {', '.join(_CODECS)}."
            )
        for name, kind in zip(names, types, strict=True):
            if kind.root in (TypeRoot.VARIANT, TypeRoot.BITMAP, TypeRoot.RAW):
                raise ValidationError(f"Unsupported type: {kind}", hint=f"the column {name} is of it")

    def framing(self, options: Options) -> Framing:
        raise self._no_messages()

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        raise self._no_messages()

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        raise self._no_messages()

    def file_reader(self, fields: Fields, options: Options) -> ParquetReader:
        return ParquetReader(fields, TypedOptions(self.options, options)["utc-timezone"])

    def file_writer(self, fields: Fields, options: Options, stream: BinaryIO) -> ParquetWriter:
        return ParquetWriter(fields, TypedOptions(self.options, options), stream)

    def _no_messages(self) -> ValidationError:
        return ValidationError(
            f"Could not find any factory for identifier '{self.name}' that implements "
            "'org.apache.flink.table.factories.DeserializationFormatFactory' in the classpath.",
            hint="parquet is a format of files",
            option="format",
        )
