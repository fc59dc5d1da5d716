"""csv in columns: records of the expected width, quoted values too, by Arrow's reader."""

from __future__ import annotations

import codecs

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Flags
from firesteel.formats.csv_framing import Marks
from firesteel.formats.csv_options import CsvOptions
from firesteel.formats.message_bytes import MessageBytes, marked
from firesteel.formats.message_decoder import WORTH_COLUMNS, Columnar
from firesteel.formats.text_columns import are_plain, typed

_LF, _CR = ord("\n"), ord("\r")
_BOM = codecs.BOM_UTF8[0]


class CsvColumns:
    """Reads records (message_decoder.Columns)."""

    def __init__(self, fields: Fields, options: CsvOptions, schema: pa.Schema) -> None:
        self._fields, self._options, self._schema = fields, options, schema
        self._marks = (options.dialect.escape, "#" if options.dialect.comments else None)
        self._names = [f"c{fields.all_names.index(name)}" for name in fields.names]

    @staticmethod
    def can_read(fields: Fields, options: CsvOptions) -> bool:
        """Whether Arrow's reader has the dialect, and columns the types."""
        dialect = options.dialect
        single = (dialect.delimiter + (dialect.quote or "") + (dialect.escape or "")).isascii()
        return single and bool(fields.names) and are_plain(fields.types)

    def is_worth(self, messages: int) -> bool:
        """See message_decoder.Columns."""
        return messages >= WORTH_COLUMNS

    def read(self, messages: pa.BinaryArray) -> Columnar:
        """See message_decoder.Columns."""
        content = MessageBytes.of(messages)
        odd = self._odd(messages, content)
        numbers = np.flatnonzero(~odd)
        chosen = messages if len(numbers) == len(messages) else messages.take(pa.array(numbers))
        table, bad = self._parsed(chosen)
        if len(bad):
            odd[numbers[bad]] = True
            numbers = np.delete(numbers, bad)
        columns = [pa.array(np.full(len(numbers), RowKind.INSERT, dtype=np.int8))]
        unread = np.zeros(len(numbers), dtype=bool)
        for name, kind in zip(self._names, self._fields.types, strict=True):
            texts = table[name].combine_chunks()
            null = self._options.null_literal
            if null is not None:
                texts = pc.if_else(pc.equal(texts, null), pa.scalar(None, pa.string()), texts)
            column = typed(texts, kind)
            columns.append(column.values)
            unread |= column.odd
        changes = pa.Table.from_arrays(columns, schema=self._schema)
        if unread.any():
            odd[numbers[unread]] = True
            changes, numbers = changes.filter(pa.array(~unread)), numbers[~unread]
        return Columnar(changes, numbers, np.flatnonzero(odd))

    def _parsed(self, messages: pa.BinaryArray) -> tuple[pa.Table, list[int]]:
        """The wanted columns as texts, and the places of the messages that have another width."""
        bad: list[int] = []
        if not len(messages):
            empty = [pa.array([], pa.string())] * len(self._names)
            return pa.Table.from_arrays(empty, names=self._names), bad

        def skip(row: csv.InvalidRow) -> str:
            bad.append(row.number - 1)
            return "skip"

        dialect = self._options.dialect
        names = [f"c{index}" for index in range(len(self._fields.all_names))]
        data = MessageBytes.of(messages).data
        table = csv.read_csv(
            pa.BufferReader(pa.py_buffer(np.ascontiguousarray(data))),
            read_options=csv.ReadOptions(
                use_threads=False, column_names=names, block_size=max(1, len(data)) + 1
            ),
            parse_options=csv.ParseOptions(
                delimiter=dialect.delimiter,
                quote_char=dialect.quote or False,
                double_quote=True,
                escape_char=False,
                newlines_in_values=True,
                ignore_empty_lines=False,
                invalid_row_handler=skip,
            ),
            convert_options=csv.ConvertOptions(
                check_utf8=False,
                column_types=dict.fromkeys(names, pa.string()),
                include_columns=sorted(set(self._names)),
                strings_can_be_null=False,
            ),
        )
        return table, bad

    def _odd(self, messages: pa.BinaryArray, content: MessageBytes) -> Flags:
        """The messages that Arrow's reader might read in another way than Jackson's."""
        data, count = content.data, len(messages)
        lengths = content.lengths
        odd: Flags = lengths <= 2
        if not len(data):
            return odd
        marks = Marks.of_records(messages, content, self._options.dialect)
        ends, last = marks.ends, marks.last
        behind = np.minimum(ends + 1, len(data) - 1)
        is_last = last[ends] | ((data[ends] == _CR) & (data[behind] == _LF) & last[behind])
        odd |= marked(content.at(marks.odd), count)
        odd |= marked(content.at(ends[~is_last]), count)
        odd |= marks.unclosed
        odd[:-1] |= data[content.offsets[1:-1] - 1] != _LF  # the next would be read with it
        for mark in filter(None, self._marks):
            odd |= marked(content.at(np.flatnonzero(data == ord(mark))), count)
        if not self._fields.in_file:
            first = content.offsets[:-1][~odd]  # all others are longer than two bytes
            odd[~odd] = (data[first] == _BOM) | (data[first] == 0) | (data[first + 1] == 0)
        return odd | _not_utf8(messages)


def _not_utf8(messages: pa.BinaryArray) -> Flags:
    try:
        pc.cast(messages, pa.string())
    except pa.ArrowInvalid:
        return np.array([not _is_utf8(one.as_py() or b"") for one in messages], dtype=bool)
    return np.zeros(len(messages), dtype=bool)


def _is_utf8(message: bytes) -> bool:
    try:
        message.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
