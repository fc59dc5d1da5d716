"""Columnar reader of the format json: one object in each message."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields
from firesteel.formats.json.batch_values import Reading, unread_schema
from firesteel.formats.json.decode_schema import DecodeSchema
from firesteel.formats.json.fallback_values import stream_values
from firesteel.formats.json.json_scan import JsonColumns, JsonScan
from firesteel.formats.json.nested_columns import NestedValues, schema_of
from firesteel.formats.json.options import JsonOptions
from firesteel.formats.messages.message_decoder import Columnar
from firesteel.types.arrow import to_arrow
from firesteel.types.value_parts import WHOLE


class JsonRows(JsonColumns):
    """Columnar reader of JSON objects (message_decoder.Columns).

    Args:
        as_written: Whether a STRING column gets a number as it is written, such as `1.50`, not `1.5`.
    """

    def __init__(self, fields: Fields, options: JsonOptions, schema: pa.Schema, *, as_written: bool) -> None:
        self._fields, self._options, self._schema, self._as_written = fields, options, schema, as_written
        self._exact = stream_values(fields, options) if as_written else None
        self._unread = frozenset() if options.fail_on_missing_field else fields.unread
        parts = fields.parts or (WHOLE,) * len(fields.names)
        self._columns = tuple(zip(fields.names, fields.types, parts, strict=True))
        self._scan = JsonScan(dict(self._shapes()))

    def _shapes(self) -> Iterator[tuple[str, DecodeSchema]]:
        fields, required = self._fields, self._options.fail_on_missing_field
        left_out = self._unread & fields.unread_texts
        for name, kind, read in self._columns:
            if name in self._unread and not kind.children:
                if name not in left_out:
                    yield name, unread_schema(kind)
            else:
                yield name, schema_of(kind, read, required=required)

    def read(self, messages: pa.BinaryArray) -> Columnar:
        scan = self._scan.read(messages)
        reading = Reading(
            scan, iso=self._options.iso_timestamps, as_written=self._as_written, exact=self._exact
        )
        at = np.arange(reading.count)
        columns = [pa.array(np.full(reading.count, RowKind.INSERT, dtype=np.int8))]
        nested = NestedValues(reading, required=self._options.fail_on_missing_field)
        there = np.ones(reading.count, dtype=bool)
        for name, kind, parts in self._columns:
            found = scan.root.members.get(name)
            if found is None:
                columns.append(pa.nulls(reading.count, to_arrow(kind)))
            elif name in self._unread and not kind.children:
                columns.append(reading.unread(found.cells, kind, at))
            else:
                columns.append(nested.member(found, kind, at, there, parts))
        table, numbers = pa.Table.from_arrays(columns, schema=self._schema), reading.numbers(at)
        if reading.odd.any():
            table, numbers = table.filter(pa.array(~reading.odd)), numbers[~reading.odd]
        return Columnar(table, numbers, reading.odd_numbers())
