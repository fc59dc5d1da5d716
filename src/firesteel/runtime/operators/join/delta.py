"""Delta, a batch of changes of one input of a join, with their join keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, RowKind, field
from firesteel.runtime.columns.keys import Keys, find_keys, one_array
from firesteel.runtime.columns.row_bytes import row_bytes
from firesteel.runtime.spec.join import JoinInput
from firesteel.types.internal_values import one_chunk

Index = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Delta:
    """n changes of one input, with their join keys.

    Attributes:
        changes: The changes table.
        fields: Its fields, n rows each.
        kinds: int8[n], the row kinds.
        adds: bool[n], whether a change adds a row (+I, +U).
        keys: The g distinct join keys.
        joins: bool[n], whether a row can have a partner. It can have none if a column of its join key is
            NULL, unless NULL equals NULL for this column.
        replaced: bool[n], whether a change removes a row and the next change adds a row with the same unique
            key. None if unknown.
    """

    changes: pa.Table
    fields: tuple[pa.Array, ...]
    kinds: NDArray[np.int8]
    adds: Mask
    keys: Keys
    joins: Mask
    replaced: Mask | None = None

    @classmethod
    def of(
        cls, changes: pa.Table, side: JoinInput, null_safe: tuple[bool, ...], replaced: Mask | None = None
    ) -> Delta:
        """Return changes of one input, with their join keys.

        Args:
            changes: Changes table, n rows.
            side: The input.
            null_safe: For each column of the join key whether NULL equals NULL.
            replaced: bool[n], whether a change removes a row and the next change adds a row with the same
                unique key. None if unknown.
        """
        fields = tuple(one_array(changes.column(field(i))) for i in range(len(side.types)))
        kinds = one_chunk(changes.column(KIND)).to_numpy()
        adds = added(changes)
        joins = np.ones(changes.num_rows, np.bool_)
        for key, safe in zip(side.keys, null_safe, strict=True):
            if not safe and fields[key].null_count:
                joins &= fields[key].is_valid().to_numpy(zero_copy_only=False)
        keys = find_keys([fields[key] for key in side.keys], changes.num_rows)
        return cls(changes, fields, kinds, adds, keys, joins, replaced)

    def __len__(self) -> int:
        return len(self.adds)

    @cached_property
    def signs(self) -> Index:
        """Signs of the changes, int64[n]: 1 if a change adds a row, -1 if it removes one."""
        return np.where(self.adds, 1, -1)

    @cached_property
    def row_bytes(self) -> Index:
        """Approximate bytes of each row, int64[n]."""
        return row_bytes(self.fields, len(self))


def added(changes: pa.Table) -> Mask:
    """Return which changes add a row (+I, +U), bool[n]."""
    kinds = one_chunk(changes.column(KIND)).to_numpy()
    adds: Mask = (kinds == RowKind.INSERT) | (kinds == RowKind.UPDATE_AFTER)
    return adds
