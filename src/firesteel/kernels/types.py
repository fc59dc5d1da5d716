"""Types of the arrays that kernels take."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Cells: TypeAlias = NDArray[np.int64]
"""Cells of JSON values: words with the kind and the position of a value (kernels/json/cells.py)."""
Integers: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
Offsets: TypeAlias = NDArray[np.int32]
Kinds: TypeAlias = NDArray[np.int8]
"""Row kinds, as in changelog.RowKind."""
Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64] | NDArray[np.float32]
Words: TypeAlias = NDArray[np.uint64]


def given(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """Return a contiguous, read-only view of each array, for arguments that kernels only read.

    In tests with FIRESTEEL_KERNELS=checked, Numba compiles a kernel once for read-only and once for writable
    arrays. Arrays of Arrow columns are always read-only. With all inputs read-only, one version suffices.
    """
    views = [np.ascontiguousarray(array).view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views
