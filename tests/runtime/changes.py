"""Changes written as text, for tests: `+I a 1` is one row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, SHORT, field
from firesteel.types.arrow import to_arrow
from firesteel.types.arrow_maps import pairs_in
from firesteel.types.sql import SqlType, TypeRoot

_EPOCH = datetime(1970, 1, 1)

Row = tuple[Any, ...]
"""(kind, value, ...): the kind as +I, -U, +U or -D, the values as Arrow's `to_pylist` gives them."""


def to_table(rows: Sequence[Row], types: Sequence[SqlType], start: int = 0) -> pa.Table:
    """A changes table; `$order` counts from `start`."""
    arrays = [
        pa.array([SHORT.index(row[0]) for row in rows], pa.int8()),
        pa.array(range(start, start + len(rows)), pa.int64()),
    ]
    arrays += [pa.array([row[i + 1] for row in rows], to_arrow(kind)) for i, kind in enumerate(types)]
    return pa.Table.from_arrays(arrays, names=[KIND, SEQUENCE, *(field(i) for i in range(len(types)))])


def to_rows(table: pa.Table) -> list[Row]:
    """The rows of a changes table, without `$order`."""
    columns = [pairs_in(column.to_pylist(), column.type) for column in table.columns]
    return [(SHORT[kind], *values) for kind, _, *values in zip(*columns, strict=True)]


def parse(text: str, types: Sequence[SqlType]) -> list[Row]:
    """Rows of a text such as `+I a 1, -U a 1`; null is NULL, and a time is its milliseconds since 1970."""
    rows = []
    for part in filter(None, (part.strip() for part in text.replace("\n", ",").split(","))):
        kind, *words = part.split()
        values = [_value(word, each) for word, each in zip(words, types, strict=True)]
        rows.append((kind, *values))
    return rows


def show(rows: Iterable[Row]) -> str:
    """Rows as Flink prints them: `+I[a, 1] -U[a, 1]`, without the blanks."""
    return " ".join(f"{kind}[{','.join(map(_text, values))}]" for kind, *values in rows)


def _value(word: str, kind: SqlType) -> Any:
    if word == "null":
        return None
    if kind.is_integer:
        return int(word)
    if kind.root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return _EPOCH + timedelta(milliseconds=int(word))
    return float(word) if kind.is_numeric else word


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float) and value != value:
        return "NaN"
    if isinstance(value, datetime):
        return str((value.replace(tzinfo=None) - _EPOCH) // timedelta(milliseconds=1))
    return str(value)
