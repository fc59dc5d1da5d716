"""Settings of operators that a shared input needs."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class SequenceShiftSpec(OperatorSpec):
    """Number the rows of one use of a shared input after the rows of earlier uses.

    Attributes:
        places: Number of sources by which the rows are shifted. The sequence numbers are divided into ranges
            of equal size, one for each source. A shift by 2 moves rows from range 0 to range 2.
        sources: Number of sources that share the sequence numbers. A shared source counts once for each use.
    """

    places: int
    sources: int = 0
