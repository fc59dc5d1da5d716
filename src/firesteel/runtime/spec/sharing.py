"""Settings of operators that a shared input needs."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class SequenceShiftSpec(OperatorSpec):
    """Move rows after those of earlier uses of the same shared input.

    Attributes:
        places: Number of sources by which the rows are moved.
        sources: Number of sources that share the sequence numbers. A shared source counts once for each use.
    """

    places: int
    sources: int = 0
