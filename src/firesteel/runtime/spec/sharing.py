"""Specs of operators that a shared input needs."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class SequenceShiftSpec(OperatorSpec):
    """Put rows behind those of earlier uses of the same shared input.

    Attributes:
        places: How many sources further on the rows are numbered.
        sources: Number of sources that the numbers are divided among, a shared one counted once for each use.
    """

    places: int
    sources: int = 0
