"""What a bundle made of its keys: at most one change of result each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.aggregate.scan.column import Mask


@dataclass(frozen=True)
class NetChanges:
    """Of g keys. outcomes: uint8[g], as the row handler gives them (NOTHING, INSERT, UPDATE, DELETE).
    before and after: the results, a column of g rows for each call that is shown; anything where there is
    none. clean: bool[g], the others are the row handler's and nothing happened to them here."""

    outcomes: NDArray[np.uint8]
    before: list[pa.Array]
    after: list[pa.Array]
    clean: Mask
