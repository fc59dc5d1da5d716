"""The CDC formats with one row a message, in columns."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Flags
from firesteel.formats.cdc import DELETE, INSERT, UPDATE, Envelope
from firesteel.formats.changed_rows import Pool, changes
from firesteel.formats.json_columns import (
    UNREAD,
    Reading,
    codes,
    flags,
    pointer,
    same_path,
    struct_type,
)
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_scan import JsonScan, quoted
from firesteel.formats.message_decoder import Columnar
from firesteel.formats.overlay import Old, flag_nested, overlay

_CODES = {INSERT: RowKind.INSERT, UPDATE: RowKind.UPDATE_AFTER, DELETE: RowKind.DELETE}
_PAYLOAD = "payload"


class EnvelopeColumns:
    """Reads messages of an envelope (message_decoder.Columns)."""

    def __init__(self, envelope: Envelope, fields: Fields, options: JsonOptions, schema: pa.Schema) -> None:
        self._envelope, self._fields = envelope, fields
        self._schema, self._iso = schema, options.iso_timestamps
        self._outer = (_PAYLOAD,) if options.schema_include else ()
        self._kinds: dict[str, int] = {name: _CODES[what] for name, what in envelope.operations.items()}
        row = struct_type(fields)
        before = "MAP(VARCHAR, VARCHAR)" if envelope.partial else row
        members = {envelope.after: row, envelope.before: before, envelope.operation: "VARCHAR"}
        if self._outer:
            inner = ", ".join(f"{quoted(name)} {kind}" for name, kind in members.items())
            members = {_PAYLOAD: f"STRUCT({inner})"}
        self._scan = JsonScan(members)

    def read(self, messages: pa.BinaryArray) -> Columnar:
        """See message_decoder.Columns."""
        reading = Reading(messages, self._scan.read(messages), iso=self._iso)
        envelope = self._envelope
        after, before = self._part(reading, envelope.after), self._part(reading, envelope.before)
        kinds = codes(self._part(reading, envelope.operation), self._kinds)
        updates, deletes = kinds == RowKind.UPDATE_AFTER, kinds == RowKind.DELETE
        has_after, has_before = flags(after.is_valid()), flags(before.is_valid())
        if envelope.partial:
            missing = ~has_after | (updates != has_before)
        else:
            missing = (~deletes & ~has_after) | ((updates | deletes) & ~has_before)
        reading.odd |= (kinds == UNREAD) | missing
        if envelope.partial:
            pools = self._overlaid(reading, after, before)
        else:
            pools = self._whole(reading, after, before, deletes)
        rows = np.flatnonzero(~reading.odd)
        table, numbers = changes(
            self._schema, kinds[rows], [p.of(rows) for p in pools], reading.numbers(rows)
        )
        return Columnar(table, numbers, reading.odd_numbers())

    def _part(self, reading: Reading, name: str) -> pa.Array:
        if not self._outer:
            return reading.column(name)
        payload = reading.column(_PAYLOAD)
        return payload.flatten()[payload.type.get_field_index(name)]

    def _whole(self, reading: Reading, after: pa.Array, before: pa.Array, deletes: Flags) -> list[Pool]:
        """Both rows stand in the message; a DELETE's is the one before."""
        count = np.arange(reading.count)
        pools = []
        parts = zip(self._fields.names, self._fields.types, after.flatten(), before.flatten(), strict=False)
        for name, kind, new, old in parts:
            values = [
                reading.values(texts, kind, count, same_path(pointer(*self._outer, part, name)))
                for texts, part in ((new, self._envelope.after), (old, self._envelope.before))
            ]
            before_at = count + reading.count
            pools.append(Pool(pa.concat_arrays(values), np.where(deletes, before_at, count), before_at))
        return pools

    def _overlaid(self, reading: Reading, after: pa.Array, before: pa.Array) -> list[Pool]:
        """The part before holds what changed."""
        count = np.arange(reading.count)
        of = np.flatnonzero(~reading.odd)
        old = Old.of(before.take(pa.array(of)), of, of)
        flag_nested(reading, old)
        pools = []
        parts = zip(self._fields.names, self._fields.types, after.flatten(), strict=False)
        for name, kind, texts in parts:
            new = reading.values(texts, kind, count, same_path(pointer(self._envelope.after, name)))
            pools.append(overlay(reading, new, count, old, name, kind))
        return pools
