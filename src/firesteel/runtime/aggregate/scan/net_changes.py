"""Net changes of a bundle: at most one change of result for each key."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.aggregate.scan.column import Mask


@dataclass(frozen=True)
class NetChanges:
    """Changes of g keys.

    Attributes:
        outcomes: uint8[g], as the row handler's: NOTHING, INSERT, UPDATE or DELETE.
        before: Results before the bundle, g rows for each call whose results are output. A key without a
            result before the bundle has an arbitrary value.
        after: Results after the bundle, like `before`.
        clean: bool[g], whether each key was processed. The others need the row handler.
    """

    outcomes: NDArray[np.uint8]
    before: list[pa.Array]
    after: list[pa.Array]
    clean: Mask
