"""Arrays as kernels take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def given(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """What kernels only read, and take behind what they write: without gaps, and of one kind whoever has
    it. A kernel is compiled for each combination of kinds, and columns of Arrow may not be written to."""
    views = [np.ascontiguousarray(array).view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views
