"""Tables of a few values, written as columns of a name, a type and the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

Columns = Mapping[str, tuple[SqlType, Sequence[Any]]]


def changes(columns: Columns, kinds: Sequence[int] | None = None) -> pa.Table:
    """The columns as a changes table: f0, f1, ... kinds: the bytes of the row kinds, else all are inserts."""
    arrays = [pa.array(values, to_arrow(kind)) for kind, values in columns.values()]
    count = len(arrays[0]) if arrays else 1
    head = [pa.array(kinds or [0] * count, pa.int8()), pa.array(range(count), pa.int64())]
    return pa.table([*head, *arrays], names=[KIND, SEQUENCE, *map(field, range(len(arrays)))])


def types(columns: Columns) -> tuple[SqlType, ...]:
    """The types of the columns."""
    return tuple(kind for kind, _ in columns.values())
