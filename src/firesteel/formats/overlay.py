"""The rows before an UPDATE, from the rows after it and the members that say what changed, in columns.

Rules: Flink CanalJsonDeserializationSchema and MaxwellJsonDeserializationSchema: a field that is NULL in the
old row keeps the new value, unless its name occurs anywhere in the message's `old`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Indices
from firesteel.formats.changed_rows import Pool
from firesteel.formats.json_columns import Paths, Reading, flags, path_by_place, pointer
from firesteel.formats.message_bytes import begin_with
from firesteel.types.sql import SqlType

_OPENING = b"[{"


@dataclass(frozen=True)
class Old:
    """The old rows of messages. maps: name to text, one a row; messages: of each row; rows: the new row
    that it belongs to; places: its place in the message's list, None where there is no list."""

    keys: pa.StringArray
    texts: pa.StringArray
    messages: Indices
    rows: Indices
    places: Indices | None

    @classmethod
    def of(cls, maps: pa.MapArray, messages: Indices, rows: Indices, *, listed: Indices | None = None) -> Old:
        """The members of all maps. listed: the places of the rows."""
        offsets = maps.offsets.to_numpy()
        start, end = int(offsets[0]), int(offsets[-1])
        owner = np.repeat(np.arange(len(maps)), np.diff(offsets))
        return cls(
            maps.keys[start:end],
            maps.items[start:end],
            messages[owner],
            rows[owner],
            None if listed is None else listed[owner],
        )

    def paths(self, chosen: Indices, name: str) -> Paths:
        """Where the values of a name stand."""
        if self.places is None:
            path = pointer("old", name)
            return lambda wanted: pa.repeat(path, len(wanted))
        return path_by_place("/old/", self.places[chosen], pointer(name))


def flag_nested(reading: Reading, old: Old) -> None:
    """A list or an object in `old` may hold any name: for the exact reader."""
    reading.odd[old.messages[begin_with(old.texts, _OPENING)]] = True


def overlay(reading: Reading, new: pa.Array, messages: Indices, old: Old, name: str, kind: SqlType) -> Pool:
    """One field's values now and before. new: of the new rows; messages: of each of them."""
    now = np.arange(len(new))
    chosen = np.flatnonzero(flags(pc.equal(old.keys, name)))
    if not len(chosen):
        return Pool(new, now, now)
    at = old.messages[chosen]
    values = reading.values(old.texts.take(pa.array(chosen)), kind, at, old.paths(chosen, name))
    named = np.zeros(reading.count, dtype=bool)
    named[at] = True
    before = np.where(named[messages], -1, now)
    before[old.rows[chosen]] = len(new) + np.arange(len(chosen))
    return Pool(pa.concat_arrays([new, values]), now, before)
