"""Rows of a table function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Index = NDArray[np.int64]


@dataclass(frozen=True)
class FunctionRows:
    """Rows of a table function for a batch of n argument rows.

    Attributes:
        at: int64[m], ascending: the argument row that each function row belongs to.
        columns: Columns of the function rows, m values each.
    """

    at: Index
    columns: tuple[pa.Array, ...]
