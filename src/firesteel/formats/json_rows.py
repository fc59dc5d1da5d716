"""The format json in columns: an object a message."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields
from firesteel.formats.json_columns import Reading, pointer, same_path
from firesteel.formats.json_nested import NestedValues, scan_type
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_scan import JsonScan
from firesteel.formats.message_decoder import Columnar
from firesteel.types.value_parts import WHOLE

_NO_FIELD = {"\x01": "VARCHAR"}


class JsonRows:
    """Reads objects (message_decoder.Columns)."""

    def __init__(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> None:
        self._fields, self._options, self._schema = fields, options, schema
        parts = fields.parts or (WHOLE,) * len(fields.names)
        kinds = map(partial(scan_type, required=options.fail_on_missing_field), fields.types, parts)
        self._scan = JsonScan(dict(zip(fields.names, kinds, strict=True)) or _NO_FIELD)

    def read(self, messages: pa.BinaryArray) -> Columnar:
        """See message_decoder.Columns."""
        reading = Reading(messages, self._scan.read(messages), iso=self._options.iso_timestamps)
        at = np.arange(reading.count)
        columns = [pa.array(np.full(reading.count, RowKind.INSERT, dtype=np.int8))]
        nested = NestedValues(reading, required=self._options.fail_on_missing_field)
        for name, kind in zip(self._fields.names, self._fields.types, strict=True):
            columns.append(nested.member(reading.column(name), kind, at, same_path(pointer(name))))
        table, numbers = pa.Table.from_arrays(columns, schema=self._schema), reading.numbers(at)
        if reading.odd.any():
            table, numbers = table.filter(pa.array(~reading.odd)), numbers[~reading.odd]
        return Columnar(table, numbers, reading.odd_numbers())
