"""Condition that picks rows by the values of some of their fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.runtime.columns.keys import common_codes
from firesteel.types.internal_values import one_chunk

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Condition:
    """Fields with the values that they must have. NULL equals NULL.

    Attributes:
        values: Value of each field, by its position.
    """

    values: Mapping[int, pa.Scalar]

    def mask(self, rows: pa.Table) -> Mask:
        """Return whether each row has the values, bool[n]."""
        found: Mask = np.ones(rows.num_rows, np.bool_)
        for position, value in self.values.items():
            column = rows.column(field(position))
            same = pc.equal(column, value.cast(column.type)) if value.is_valid else pc.is_null(column)
            found &= pc.fill_null(one_chunk(same), False).to_numpy(zero_copy_only=False)
        return found

    def moved(self, positions: Mapping[int, int]) -> Condition:
        """Return the condition with new positions of its fields. Fields without a new position are left out.

        Args:
            positions: New position of each field.
        """
        found = {positions[at]: value for at, value in self.values.items() if at in positions}
        return Condition(found)


def is_among(columns: Sequence[pa.ChunkedArray], wanted: Sequence[pa.ChunkedArray]) -> Mask:
    """Return whether each of n rows equals one of the rows `wanted` in all given columns, bool[n].

    Args:
        columns: Columns of n rows, at least one.
        wanted: The same columns of the wanted rows.
    """
    counts = (len(columns[0]), len(wanted[0]))
    if not all(counts):
        return np.zeros(counts[0], np.bool_)
    casted = [other.cast(column.type) for column, other in zip(columns, wanted, strict=True)]
    codes, wanted_codes = common_codes(columns, casted, counts)
    found: Mask = np.isin(codes, wanted_codes)
    return found
