"""A column of bytes that comes piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa


class GatheredBytes:
    """Joins what has come: a piece while it is in the processor's cache, then the pieces, which takes half as
    long as an array of each piece and one of them all."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._sizes: list[npt.NDArray[np.int32]] = []

    def add(self, values: Sequence[bytes | None]) -> int:
        """Add values, None for NULL; their bytes, offsets included."""
        try:
            sizes, piece = _joined(values)  # type: ignore[arg-type]
        except TypeError:
            sizes, piece = _joined([value or b"" for value in values])
            sizes[[value is None for value in values]] = _NULL
        self._sizes.append(sizes)
        self._pieces.append(piece)
        return len(piece) + sizes.nbytes

    def taken(self) -> pa.BinaryArray:
        """All of them; there are none then. At least one piece has come."""
        sizes = np.concatenate(self._sizes)
        is_null = sizes == _NULL
        sizes[is_null] = 0
        offsets = np.zeros(len(sizes) + 1, np.int32)
        np.cumsum(sizes, out=offsets[1:])
        valid = pa.py_buffer(np.packbits(~is_null, bitorder="little")) if is_null.any() else None
        buffers = [valid, pa.py_buffer(offsets), pa.py_buffer(b"".join(self._pieces))]
        self._pieces, self._sizes = [], []
        return pa.Array.from_buffers(pa.binary(), len(sizes), buffers)


_NULL = -1


def _joined(values: Sequence[bytes]) -> tuple[npt.NDArray[np.int32], bytes]:
    return np.fromiter(map(len, values), np.int32, len(values)), b"".join(values)
