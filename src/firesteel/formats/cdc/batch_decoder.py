"""Columnar reader of the CDC formats with one row in each message."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Flags
from firesteel.formats.cdc.row_decoder import DELETE, INSERT, UPDATE, Envelope
from firesteel.formats.json.batch_values import UNREAD, Reading, row_schema
from firesteel.formats.json.decode_schema import TEXT, object_of
from firesteel.formats.json.fallback_values import tree_values
from firesteel.formats.json.json_scan import JsonColumns, JsonScan, is_there
from firesteel.formats.json.options import JsonOptions
from firesteel.formats.json.update_pairs import Changes, Rows
from firesteel.formats.messages.message_decoder import Columnar
from firesteel.kernels.types import Cells

_CODES = {INSERT: RowKind.INSERT, UPDATE: RowKind.UPDATE_AFTER, DELETE: RowKind.DELETE}
_PAYLOAD = "payload"


class EnvelopeColumns(JsonColumns):
    """Columnar reader of messages in an envelope (message_decoder.Columns)."""

    def __init__(self, envelope: Envelope, fields: Fields, options: JsonOptions, schema: pa.Schema) -> None:
        self._envelope, self._fields = envelope, fields
        self._schema, self._iso = schema, options.iso_timestamps
        self._exact = tree_values(fields, options)
        self._has_payload = options.schema_include
        self._kinds: dict[str, int] = {name: _CODES[what] for name, what in envelope.operations.items()}
        # In Maxwell's messages, the row before the change has only the changed fields. For a field that this
        # row does not have, Flink takes the value after the change. But Flink also searches the objects and
        # lists in this row for the field's name. If it finds the name there, it does not take that value. So
        # a message with an object or list in this row goes to the exact reader, which does the same.
        before = row_schema(fields, is_flat=envelope.partial)
        members = {envelope.after: row_schema(fields), envelope.before: before, envelope.operation: TEXT}
        self._scan = JsonScan({_PAYLOAD: object_of(members)} if self._has_payload else members)

    def read(self, messages: pa.BinaryArray) -> Columnar:
        scan, envelope = self._scan.read(messages), self._envelope
        reading, root = Reading(scan, iso=self._iso, exact=self._exact), scan.root.members
        if self._has_payload:
            root = root[_PAYLOAD].members
        after, before = root[envelope.after], root[envelope.before]
        kinds = reading.codes(root[envelope.operation].cells, self._kinds)
        has_after, has_before = is_there(after.cells), is_there(before.cells)
        # Flink also converts a row that the operation does not need, and may reject it. So a message with
        # such a row is odd.
        updates, deletes = kinds == RowKind.UPDATE_AFTER, kinds == RowKind.DELETE
        fits_after = has_after if envelope.partial else has_after != deletes
        fits_before = has_before == (updates if envelope.partial else updates | deletes)
        reading.odd |= (kinds == UNREAD) | ~fits_after | ~fits_before
        each = np.arange(reading.count)
        changes = Changes.of_messages(Rows(kinds, each, each, np.ones(reading.count, np.int64)), reading.odd)
        cells = (
            (name, self._cells(changes, found.cells, before.members[name].cells, deletes))
            for name, found in after.members.items()
        )
        return changes.read(reading, self._schema, self._fields, cells)

    def _cells(self, changes: Changes, after: Cells, before: Cells, deletes: Flags) -> Cells:
        """Return a field's cell in each of k changes, int64[k].

        A message has two members with rows: one for the row after the change and one for the row before. The
        cell of a DELETE comes from the member for the row before. Maxwell's messages are an exception: there,
        the member for the row after (`data`) has the deleted row.

        Args:
            changes: The k changes.
            after: For each of n messages, the field's cell in the member for the row after, int64[n].
            before: For each message, the field's cell in the member for the row before, int64[n].
            deletes: Which messages are DELETEs, bool[n].
        """
        if self._envelope.partial:
            return changes.overlaid(after, before)
        return changes.whole(np.where(deletes, before, after), before)
