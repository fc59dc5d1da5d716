"""What the tests of formats share: decode bytes, show rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import SHORT
from firesteel.formats.base import Fields, MessageError
from firesteel.formats.registry import find_format
from firesteel.types.arrow_maps import pairs_in
from firesteel.types.sql import SqlType
from firesteel.types.value_parts import Parts

Schema = dict[str, SqlType]


class FileDecoder:
    """Frames and decodes blocks, as the file source does. lines: where the last error stands."""

    def __init__(self, name: str, fields: Fields, options: dict[str, str]) -> None:
        found = find_format(name)
        self._framing = found.framing(options)
        self._rest = b""
        self.decoder: Any = found.decoder(fields, options)

    @property
    def skipped(self) -> int:
        return int(self.decoder.skipped)

    def decode(self, block: bytes) -> pa.Table:
        """The changes in a block of whole lines; an error's index is its line's, from 0."""
        messages, self._rest = self._framing.split(self._rest + block)
        return self._decoded(messages)

    def finish(self) -> pa.Table:
        return self._decoded(self._framing.finish(self._rest))

    def _decoded(self, messages: pa.BinaryArray) -> pa.Table:
        try:
            table, indices = self.decoder.decode(messages)
        except MessageError as error:
            before = b"".join(messages[: error.index].to_pylist())
            raise MessageError(before.count(b"\n"), error.text) from None
        assert len(indices) == table.num_rows
        assert (np.diff(indices) >= 0).all()
        return table


def decode(
    name: str, schema: Schema, data: bytes | str, wanted: tuple[str, ...] = (), **options: str
) -> pa.Table:
    """The changes in one block. Underscores in option names stand for hyphens."""
    decoder = decoder_of(name, schema, wanted, **options)
    table = decoder.decode(data.encode() if isinstance(data, str) else data)
    return pa.concat_tables([table, decoder.finish()])


def decoder_of(
    name: str, schema: Schema, wanted: tuple[str, ...] = (), parts: tuple[Parts, ...] = (), **options: str
) -> FileDecoder:
    names = wanted or tuple(schema)
    types = tuple(schema[one] for one in names)
    fields = Fields(names, types, tuple(schema), tuple(schema.values()), parts, in_file=True)
    return FileDecoder(name, fields, {key.replace("_", "-"): v for key, v in options.items()})


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows, each with its kind first: ("+I", 1, "a")."""
    columns = [pairs_in(column.to_pylist(), column.type) for column in table.columns]
    return [(SHORT[kind], *rest) for kind, *rest in zip(*columns, strict=True)]
