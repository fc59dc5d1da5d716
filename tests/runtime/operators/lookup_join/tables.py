"""A table in memory that lookups ask, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.runtime.operators.lookup_join.lookup import FoundRows
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType


class MemoryTable:
    """A Lookup over rows that a test may change between two calls.

    Attributes:
        rows: The rows, changed by a test at will.
        asked: The keys of each call.
    """

    def __init__(
        self, rows: Sequence[tuple[Any, ...]], types: Sequence[SqlType], keys: Sequence[int] = (0,)
    ) -> None:
        self.rows = list(rows)
        self.asked: list[list[tuple[Any, ...]]] = []
        self._types = [to_arrow(kind) for kind in types]
        self._keys = keys

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        asked = list(zip(*(column.to_pylist() for column in keys), strict=True))
        self.asked.append(asked)
        found = [(n, row) for n, key in enumerate(asked) for row in self.rows if self._key(row) == key]
        columns = (pa.array([row[place] for _, row in found], kind) for place, kind in enumerate(self._types))
        return FoundRows(np.array([n for n, _ in found], np.int64), tuple(columns))

    def _key(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(row[key] for key in self._keys)


def table_spec(types: Sequence[SqlType], keys: tuple[int, ...] = (0,), **more: Any) -> LookupTable:
    """Return the spec of a table with the columns c0, c1, ..."""
    names = tuple(f"c{place}" for place in range(len(types)))
    scan = ScanSpec(
        more.pop("connector", "memory"), tuple(more.pop("options", {}).items()), names, tuple(types),
        tuple(range(len(types))), (None,) * len(types), table="t", **more,
    )  # fmt: skip
    return LookupTable(scan, keys)


def values(found: FoundRows) -> list[tuple[Any, ...]]:
    """Return found rows, each behind the number of its key."""
    return list(zip(found.at.tolist(), *(column.to_pylist() for column in found.columns), strict=True))
