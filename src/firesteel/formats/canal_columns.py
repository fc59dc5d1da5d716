"""canal-json in columns: the rows of `data` unnested, what changed in `old` laid over them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.changed_rows import Pool, changes
from firesteel.formats.json_columns import (
    UNREAD,
    Reading,
    codes,
    flags,
    path_by_place,
    pointer,
    same_path,
    struct_type,
)
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_scan import JsonScan
from firesteel.formats.message_decoder import Columnar
from firesteel.formats.overlay import Old, flag_nested, overlay
from firesteel.runtime.java.regular_expressions import parsed
from firesteel.types.sql import STRING

_KINDS = {"INSERT": RowKind.INSERT, "UPDATE": RowKind.UPDATE_AFTER, "DELETE": RowKind.DELETE}


class CanalColumns:
    """Reads Canal messages (message_decoder.Columns)."""

    def __init__(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> None:
        self._fields, self._schema, self._iso = fields, schema, options.iso_timestamps
        wanted = {"database": options.database, "table": options.table}
        self._filters = {key: parsed(text) for key, text in wanted.items() if text is not None}
        members = {"data": f"{struct_type(fields)}[]", "old": "MAP(VARCHAR, VARCHAR)[]", "type": "VARCHAR"}
        self._scan = JsonScan({**members, **dict.fromkeys(self._filters, "VARCHAR")})

    def read(self, messages: pa.BinaryArray) -> Columnar:
        """See message_decoder.Columns."""
        reading = Reading(messages, self._scan.read(messages), iso=self._iso)
        wanted = self._wanted(reading)
        kinds = codes(reading.column("type"), _KINDS)
        data, old = _List(reading.column("data")), _List(reading.column("old"))
        updates = kinds == RowKind.UPDATE_AFTER
        # An old list that is not the rows' is converted, too, and may be refused.
        fits = np.where(updates, old.there & (old.counts == data.counts), ~old.there)
        reading.odd |= (kinds == UNREAD) | ~data.there | ~fits
        reading.odd[data.messages[~data.valid]] = True
        reading.odd[old.messages[~old.valid]] = True
        reading.odd &= wanted
        pools = self._pools(reading, data, old)
        reading.odd &= wanted
        rows = np.flatnonzero((wanted & ~reading.odd)[data.messages])
        at = data.messages[rows]
        table, numbers = changes(self._schema, kinds[at], [p.of(rows) for p in pools], reading.numbers(at))
        return Columnar(table, numbers, reading.odd_numbers())

    def _wanted(self, reading: Reading) -> Flags:
        """The messages that the filters take; one without the member is for the exact reader."""
        wanted = np.ones(reading.count, dtype=bool)
        for key, pattern in self._filters.items():
            names = reading.column(key)
            reading.odd |= flags(names.is_null())
            reading.values(names, STRING, np.arange(reading.count), same_path(pointer(key)))
            found = names.dictionary_encode()
            takes = [pattern.fullmatch(name) is not None for name in found.dictionary.to_pylist()]
            places = found.indices.fill_null(len(takes)).to_numpy(zero_copy_only=False)
            wanted &= np.array([*takes, True], dtype=bool)[places]
        return wanted | reading.odd

    def _pools(self, reading: Reading, data: _List, old: _List) -> list[Pool]:
        of = np.flatnonzero(~reading.odd[old.messages])
        at = old.messages[of]
        before = Old.of(
            old.rows.take(pa.array(of)), at, data.starts[at] + old.places[of], listed=old.places[of]
        )
        flag_nested(reading, before)
        texts = data.rows.flatten()
        pools = []
        for name, kind, column in zip(self._fields.names, self._fields.types, texts, strict=False):
            paths = path_by_place("/data/", data.places, pointer(name))
            new = reading.values(column, kind, data.messages, paths)
            pools.append(overlay(reading, new, data.messages, before, name, kind))
        return pools


class _List:
    """A member that is a list of rows. there: by message, whether it is; counts, starts: of its rows. rows:
    all rows, messages and places: of each, valid: whether it is one."""

    def __init__(self, lists: pa.ListArray) -> None:
        self.there: Flags = flags(lists.is_valid())
        counts = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
        self.counts: Indices = counts.astype(np.int64)
        self.starts: Indices = np.cumsum(self.counts) - self.counts
        self.rows = lists.flatten()
        self.valid: Flags = flags(self.rows.is_valid())
        self.messages: Indices = np.repeat(np.arange(len(lists)), self.counts)
        self.places: Indices = np.arange(len(self.rows)) - self.starts[self.messages]
