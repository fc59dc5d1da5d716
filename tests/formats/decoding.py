"""What the tests of formats share: decode bytes, show rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from firesteel.changelog import SHORT
from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.types.arrow_maps import pairs_in
from firesteel.types.sql import SqlType

Schema = dict[str, SqlType]


def decode(
    name: str, schema: Schema, data: bytes | str, wanted: tuple[str, ...] = (), **options: str
) -> pa.Table:
    """The changes in one block. Underscores in option names stand for hyphens."""
    decoder = decoder_of(name, schema, wanted, **options)
    return decoder.decode(data.encode() if isinstance(data, str) else data)


def decoder_of(name: str, schema: Schema, wanted: tuple[str, ...] = (), **options: str) -> Any:
    names = wanted or tuple(schema)
    fields = Fields(names, tuple(schema[one] for one in names), tuple(schema), tuple(schema.values()))
    return find_format(name).decoder(fields, {key.replace("_", "-"): v for key, v in options.items()})


def rows(table: pa.Table) -> list[tuple[Any, ...]]:
    """The rows, each with its kind first: ("+I", 1, "a")."""
    columns = [pairs_in(column.to_pylist(), column.type) for column in table.columns]
    return [(SHORT[kind], *rest) for kind, *rest in zip(*columns, strict=True)]
