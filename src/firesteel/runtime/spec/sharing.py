"""Settings of operators that a shared input needs."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class SequenceShiftSpec(OperatorSpec):
    """Number the rows of one use of a shared input after the rows of earlier uses.

    Attributes:
        places: Shift, as a number of sources: each source has an equal range of the sequence numbers.
        sources: Number of sources that share the sequence numbers. A shared source counts once for each use.
    """

    places: int
    sources: int = 0
