"""The arrays that kernels take and give."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Cells: TypeAlias = NDArray[np.int64]
"""Values of JSON texts by where they stand (kernels/json/cells.py)."""
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Offsets: TypeAlias = NDArray[np.int32]
Kinds: TypeAlias = NDArray[np.int8]
"""Of rows: changelog.RowKind."""
Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.float32]
Words: TypeAlias = NDArray[np.uint64]


def given(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """What kernels only read, and take behind what they write: without gaps, and of one kind whoever has
    it. A kernel is compiled for each combination of kinds, and columns of Arrow may not be written to."""
    views = [np.ascontiguousarray(array).view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views
