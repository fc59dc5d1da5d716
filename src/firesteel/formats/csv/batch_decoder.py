"""Columnar reader of csv: records with as many values as the table has columns, quoted or not."""

from __future__ import annotations

import codecs
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.csv.framing import KERNEL
from firesteel.formats.csv.options import CsvOptions
from firesteel.formats.messages.json_cells import decimals, integers
from firesteel.formats.messages.message_bytes import MessageBytes, marked
from firesteel.formats.messages.message_decoder import WORTH_COLUMNS, Columnar
from firesteel.formats.messages.text_columns import Column, are_plain, typed
from firesteel.kernels.types import Bytes, Cells
from firesteel.types.sql import INTEGER_BITS, SqlType, TypeRoot

_WORD = 8
"""Number of bytes that kernels read at once."""
_WORTH_LOADING = 4096
"""Number of records below which reading them one by one is faster than loading the kernel."""
_BOM = codecs.BOM_UTF8[0]


class CsvColumns:
    """Columnar reader of csv records (message_decoder.Columns)."""

    def __init__(self, fields: Fields, options: CsvOptions, schema: pa.Schema) -> None:
        self._fields, self._options, self._schema = fields, options, schema
        self._marks = (options.dialect.escape, "#" if options.dialect.comments else None)
        self._quote = -1 if options.dialect.quote is None else ord(options.dialect.quote)
        at = [fields.all_names.index(name) for name in fields.names]
        self._places = [sorted(set(at)).index(each) for each in at]
        self._wanted = np.full(len(fields.all_names), -1, np.int64)
        self._wanted[sorted(set(at))] = np.arange(len(set(at)))

    @staticmethod
    def can_read(fields: Fields, options: CsvOptions) -> bool:
        """Return whether the kernel supports the dialect, and the columnar conversion all types."""
        dialect = options.dialect
        single = (dialect.delimiter + (dialect.quote or "") + (dialect.escape or "")).isascii()
        return single and bool(fields.names) and are_plain(fields.types)

    def is_worth(self, messages: int) -> bool:
        return messages >= (WORTH_COLUMNS if KERNEL in sys.modules else _WORTH_LOADING)

    def read(self, messages: pa.BinaryArray) -> Columnar:
        content = MessageBytes.of(messages)
        data = content.data[:]
        if len(data) < _WORD:
            data = np.append(data, np.zeros(_WORD, np.uint8))
        # Numba compiles the kernel for each array type, and a writable array has another type than a
        # read-only array. So the array is always read-only.
        data.flags.writeable = False
        cells, odd = self._scanned(data, content.offsets)
        odd |= self._odd(messages, content)
        numbers = np.flatnonzero(~odd)
        columns = [pa.array(np.full(len(numbers), RowKind.INSERT, dtype=np.int8))]
        unread = np.zeros(len(numbers), dtype=bool)
        for place, kind in zip(self._places, self._fields.types, strict=True):
            column = self._column(data, cells[:, place][numbers], kind)
            columns.append(column.values)
            unread |= column.odd
        changes = pa.Table.from_arrays(columns, schema=self._schema)
        if unread.any():
            odd[numbers[unread]] = True
            changes, numbers = changes.filter(pa.array(~unread)), numbers[~unread]
        return Columnar(changes, numbers, np.flatnonzero(odd))

    def _scanned(self, data: Bytes, offsets: Indices) -> tuple[Cells, Flags]:
        """Return the k wanted values of n records as cells, int64[n, k], and which records are odd, bool[n].

        A record is odd if it does not have as many values as the table has columns, or if a quote stands in a
        wrong position.
        """
        from firesteel.kernels.text.csv_scan import scan_records

        count, dialect = len(offsets) - 1, self._options.dialect
        cells, odd = np.zeros((count, len(set(self._places))), np.int64), np.empty(count, np.bool_)
        scan_records(data, offsets, ord(dialect.delimiter), self._quote, self._wanted, cells, odd)
        return cells, odd

    def _column(self, data: Bytes, cells: Cells, kind: SqlType) -> Column:
        null = self._options.null_literal
        if kind.root in INTEGER_BITS and null is None:
            return Column(*integers(data, cells, kind))
        if kind.root is TypeRoot.DECIMAL and null is None:
            return Column(*decimals(data, cells, kind))
        texts = self._texts(data, cells)
        if null is not None:
            texts = pc.if_else(pc.equal(texts, null), pa.scalar(None, pa.string()), texts)
        return typed(texts, kind)

    def _texts(self, data: Bytes, cells: Cells) -> pa.StringArray:
        from firesteel.kernels.text.csv_scan import copy_fields, fields_size

        out, offsets = np.empty(fields_size(cells) + _WORD, np.uint8), np.empty(len(cells) + 1, np.int32)
        copy_fields(data, cells, self._quote, offsets, out)
        return pa.Array.from_buffers(
            pa.string(), len(cells), [None, pa.py_buffer(offsets), pa.py_buffer(out)]
        )

    def _odd(self, messages: pa.BinaryArray, content: MessageBytes) -> Flags:
        """Return which messages only the exact reader reads as Jackson does, bool[n].

        They have at most two bytes, an escape character, a `#` (if comments are allowed), another encoding
        than UTF-8, or invalid UTF-8.
        """
        data, count = content.data, len(messages)
        odd: Flags = content.lengths <= 2
        for mark in filter(None, self._marks):
            odd |= marked(content.at(np.flatnonzero(data == ord(mark))), count)
        if not self._fields.in_file:
            # A message that is not odd has more than two bytes, so its first two bytes can be read.
            first = content.offsets[:-1][~odd]
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
