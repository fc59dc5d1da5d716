"""Arrow column of binary values, which is collected from the values of successive reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

NULL = -1
"""Size that stands for a NULL value."""


class Joined(NamedTuple):
    """Binary values, joined to one array.

    Attributes:
        sizes: int32[n], number of bytes of each value, NULL for no value.
        data: Bytes of the values, one after the other.
    """

    sizes: npt.NDArray[np.int32]
    data: npt.NDArray[np.uint8]

    @property
    def nbytes(self) -> int:
        """Return the number of bytes that both arrays take."""
        return len(self.data) + self.sizes.nbytes


def joined(values: Sequence[bytes | None]) -> Joined:
    """Return values joined to one array. None stands for NULL."""
    try:
        return _joined(values)  # type: ignore[arg-type]
    except TypeError:
        found = _joined([value or b"" for value in values])
        found.sizes[[value is None for value in values]] = NULL
        return found


def _joined(values: Sequence[bytes]) -> Joined:
    sizes = np.fromiter(map(len, values), np.int32, len(values))
    return Joined(sizes, np.frombuffer(b"".join(values), np.uint8))


class GatheredBytes:
    """Collector of a column of binary values. Each piece has the values of one read, already joined.

    `array` then joins the pieces. It would take twice as long to create an Arrow array of each piece and to
    concatenate the arrays.
    """

    def __init__(self) -> None:
        self._pieces: list[Joined] = []

    def add(self, piece: Joined) -> None:
        self._pieces.append(piece)

    def array(self) -> pa.BinaryArray:
        """Return all values as one array. At least one piece must have been added."""
        sizes = np.concatenate([piece.sizes for piece in self._pieces])
        is_null = sizes == NULL
        sizes[is_null] = 0
        offsets = np.zeros(len(sizes) + 1, np.int32)
        np.cumsum(sizes, out=offsets[1:])
        valid = pa.py_buffer(np.packbits(~is_null, bitorder="little")) if is_null.any() else None
        data = np.concatenate([piece.data for piece in self._pieces])
        return pa.Array.from_buffers(
            pa.binary(), len(sizes), [valid, pa.py_buffer(offsets), pa.py_buffer(data)]
        )
