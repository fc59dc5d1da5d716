"""Convert cells (kernels/json/cells.py) to columns of numbers, and flag cells that may be no valid number."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags
from firesteel.kernels.types import Bytes, Cells
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import WHOLE_BITS, SqlType


def integers(data: Bytes, cells: Cells, kind: SqlType) -> tuple[pa.Array, Flags]:
    """Read cells as values of a type that is stored as an integer.

    Returns:
        The values, and which cells are not certainly integers.
    """
    from firesteel.kernels.json.values import read_integers

    bits, count = WHOLE_BITS[kind.root], len(cells)
    values, there, odd = np.empty(count, np.int64), np.empty(count, np.bool_), np.empty(count, np.bool_)
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    read_integers(data, cells, least, most, values, there, odd)
    numbers = pa.py_buffer(values.astype(f"i{bits // 8}", copy=False))
    return pa.Array.from_buffers(to_arrow(kind), count, [bitmap(there), numbers]), odd


def decimals(data: Bytes, cells: Cells, kind: SqlType) -> tuple[pa.Array, Flags]:
    """Read cells as DECIMALs, rounded HALF_UP. As in Flink, a number with too many digits becomes NULL.

    Returns:
        The values, and which cells are not plain numbers.
    """
    from firesteel.kernels.json.decimals import read_decimals

    count, size = len(cells), (kind.precision or 0, kind.scale or 0)
    there, odd, values = np.empty(count, np.bool_), np.empty(count, np.bool_), np.empty((count, 2), np.int64)
    read_decimals(data, cells, *size, values, there, odd)
    return pa.Array.from_buffers(to_arrow(kind), count, [bitmap(there), pa.py_buffer(values)]), odd


def text_cells(texts: pa.StringArray) -> tuple[Bytes, Cells]:
    """Return the bytes of a column of texts, and its values as cells."""
    from firesteel.kernels.json.cells import KIND_SHIFT, LENGTH_SHIFT, NULL, STRING

    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset).astype(np.int64)
    cells: Cells = (STRING << KIND_SHIFT) | (np.diff(ends) << LENGTH_SHIFT) | ends[:-1]
    if texts.null_count:
        cells[texts.is_null().to_numpy(zero_copy_only=False)] = NULL << KIND_SHIFT
    return np.frombuffer(data, np.uint8) if data is not None else np.zeros(1, np.uint8), cells


def bitmap(there: Flags) -> pa.Buffer | None:
    """Return Arrow's validity bitmap for flags, or None if all values exist."""
    return None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
