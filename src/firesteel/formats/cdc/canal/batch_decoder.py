"""Columnar reader of canal-json: the rows of `data`, with the changed fields of `old`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Flags
from firesteel.formats.json.batch_values import UNREAD, Reading, row_schema
from firesteel.formats.json.decode_schema import TEXT, list_of
from firesteel.formats.json.fallback_values import tree_values
from firesteel.formats.json.json_scan import Found, JsonColumns, JsonScan, is_there, owners
from firesteel.formats.json.options import JsonOptions
from firesteel.formats.json.update_pairs import Changes, Rows
from firesteel.formats.messages.message_decoder import Columnar
from firesteel.functions.java.regular_expressions import parsed

_KINDS = {"INSERT": RowKind.INSERT, "UPDATE": RowKind.UPDATE_AFTER, "DELETE": RowKind.DELETE}


class CanalColumns(JsonColumns):
    """Columnar reader of Canal messages (message_decoder.Columns)."""

    def __init__(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> None:
        self._fields, self._schema, self._iso = fields, schema, options.iso_timestamps
        self._exact = tree_values(fields, options)
        wanted = {"database": options.database, "table": options.table}
        self._filters = {key: parsed(text) for key, text in wanted.items() if text is not None}
        # The rows of `old` have only the changed fields. To find out whether a field is there, Flink searches
        # all of `old` for its name, also nested objects and lists: in {"a": {"b": 1}} it finds both a and b.
        # The scan does not search there. So if a row of `old` has an object or a list, is_flat sends its
        # message to the exact reader.
        members = {"data": list_of(row_schema(fields)), "old": list_of(row_schema(fields, is_flat=True))}
        self._scan = JsonScan({**members, "type": TEXT, **dict.fromkeys(self._filters, TEXT)})

    def read(self, messages: pa.BinaryArray) -> Columnar:
        scan = self._scan.read(messages)
        reading, root = Reading(scan, iso=self._iso, exact=self._exact), scan.root.members
        wanted = self._wanted(reading, root)
        kinds = reading.codes(root["type"].cells, _KINDS)
        data, old = _List(root["data"]), _List(root["old"])
        updates = kinds == RowKind.UPDATE_AFTER
        # Flink also converts an `old` list whose length is not that of `data`, or that the operation does not
        # need, and may reject a row of it. So a message with such a list is odd.
        fits = np.where(updates, old.there & (old.counts == data.counts), ~old.there)
        reading.odd |= (kinds == UNREAD) | ~data.there | ~fits
        reading.odd[data.messages[~data.valid]] = True
        reading.odd[old.messages[~old.valid]] = True
        reading.odd &= wanted
        rows = Rows(kinds, data.starts, old.starts, data.counts)
        changes = Changes.of_messages(rows, reading.odd | ~wanted)
        now, before = data.rows.members, old.rows.members
        cells = ((name, changes.overlaid(now[name].cells, before[name].cells)) for name in now)
        return changes.read(reading, self._schema, self._fields, cells)

    def _wanted(self, reading: Reading, root: Mapping[str, Found]) -> Flags:
        """Return which messages are to be read: those that the filters accept, and odd messages.

        The filters are `database.include` and `table.include`. Messages without the member that a filter
        tests are marked as odd, so that the exact reader reads them.
        """
        wanted = np.ones(reading.count, dtype=bool)
        for key, pattern in self._filters.items():
            cells = root[key].cells
            reading.odd |= ~is_there(cells)
            names = reading.names(cells, np.arange(reading.count)).dictionary_encode()
            takes = [pattern.fullmatch(name) is not None for name in names.dictionary.to_pylist()]
            places = names.indices.fill_null(len(takes)).to_numpy(zero_copy_only=False)
            wanted &= np.array([*takes, True], dtype=bool)[places]
        return wanted | reading.odd


class _List:
    """Lists of rows, one for each message.

    Attributes:
        there: For each message, whether it has the list.
        starts: For each message, the position of its first row among all rows.
        counts: For each message, the number of its rows.
        rows: The rows of all messages.
        messages: For each row, the index of its message.
        valid: For each row, whether it is an object.
    """

    def __init__(self, lists: Found) -> None:
        assert lists.inner is not None
        self.there: Flags = is_there(lists.cells)
        offsets, self.messages = owners(lists.cells)
        self.starts, self.counts = offsets[:-1], np.diff(offsets)
        self.rows = lists.inner
        self.valid: Flags = is_there(self.rows.cells)
