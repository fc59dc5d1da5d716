"""Decoded rows to changes: an UPDATE's row before it stands before it, in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields, Indices
from firesteel.formats.json_columns import Reading
from firesteel.formats.message_decoder import Columnar
from firesteel.kernels.types import Cells


@dataclass(frozen=True)
class RowCells:
    """One field of n rows: int64[n], its cell in each row, and in the row before, which counts where the
    row is an UPDATE's."""

    now: Cells
    before: Cells


def changes(
    reading: Reading,
    schema: pa.Schema,
    fields: Fields,
    kinds: npt.NDArray[np.int8],
    rows: Sequence[RowCells],
    messages: Indices,
) -> Columnar:
    """What a reading gives. kinds, messages: int8[n] and int64[n], of each row, where an UPDATE is +U.
    rows: of each field. Rows of messages whose values turn out to be odd are left out."""
    updates = kinds == RowKind.UPDATE_AFTER
    copies = 1 + updates.astype(np.int64)
    after = np.cumsum(copies) - 1
    at = np.repeat(messages, copies)
    out = np.repeat(kinds, copies)
    before = after[updates] - 1
    out[before] = RowKind.UPDATE_BEFORE
    columns = [pa.array(out)]
    for kind, cells in zip(fields.types, rows, strict=True):
        both = np.empty(len(at), np.int64)
        both[after] = cells.now
        both[before] = cells.before[updates]
        columns.append(reading.values(both, kind, at))
    table, numbers = pa.Table.from_arrays(columns, schema=schema), reading.numbers(at)
    odd = reading.odd[at]
    if odd.any():
        table, numbers = table.filter(pa.array(~odd)), numbers[~odd]
    return Columnar(table, numbers, reading.odd_numbers())
