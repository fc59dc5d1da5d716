"""Interface of a table for lookups by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Index = NDArray[np.int64]


@dataclass(frozen=True)
class FoundRows:
    """Rows that a table has for some keys.

    Attributes:
        at: int64[r], ascending: number of the key to which each row belongs.
        columns: Columns of the rows, r values each.
    """

    at: Index
    columns: tuple[pa.Array, ...]

    def take(self, places: Index) -> FoundRows:
        """Return the rows at the given positions, in that order."""
        index = pa.array(places)
        return FoundRows(self.at[places], tuple(column.take(index) for column in self.columns))

    @classmethod
    def sorted(cls, at: Index, columns: Sequence[pa.Array]) -> FoundRows:
        """Return found rows sorted by `at`, the key of each row. The rows of a key keep their order."""
        if bool(np.all(at[1:] >= at[:-1])):
            return cls(at, tuple(columns))
        return cls(at, tuple(columns)).take(np.argsort(at, kind="stable"))


class Lookup(Protocol):
    """A table for lookups by key."""

    def find(self, keys: Sequence[pa.Array]) -> FoundRows:
        """Return the rows of k distinct keys, none of which is NULL.

        Args:
            keys: Columns of the keys, k values each.

        Raises:
            FiresteelError: The table cannot be read.
        """
        ...
