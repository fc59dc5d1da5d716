"""Encode rows as lines of JSON: plain objects, or objects in the envelope of a CDC format."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from firesteel.changelog import KIND
from firesteel.formats.base import Fields
from firesteel.formats.json.encode import JsonWriters
from firesteel.formats.json.options import JsonOptions

PLAIN = ("", "")


class JsonEncoder:
    """Encoder of rows to JSON.

    Args:
        envelopes: By row kind, the texts before and after the row's object. None for a message that is
            only the object.
    """

    def __init__(
        self, fields: Fields, options: JsonOptions, envelopes: Mapping[int, tuple[str, str]] | None = None
    ) -> None:
        self._fields = fields
        self._writers = JsonWriters(options)
        self._envelopes = envelopes or dict.fromkeys(range(4), PLAIN)

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        objects = self._writers.objects(changes, self._fields.names, self._fields.types)
        parts = []
        for kind, text in zip(changes[KIND].to_pylist(), objects, strict=True):
            before, after = self._envelopes[kind]
            parts.append(f"{before}{text}{after}".encode())
        return pa.array(parts, pa.binary())


def envelopes(upsert: tuple[str, str], delete: tuple[str, str]) -> dict[int, tuple[str, str]]:
    """Return the envelope for each row kind: a pair of texts before and after the row's object.

    +I and +U get `upsert`, -U and -D get `delete`: as in Flink, an update is written as DELETE and INSERT.
    """
    return {0: upsert, 1: delete, 2: upsert, 3: delete}
