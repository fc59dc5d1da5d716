"""PortWatermarks: the time of an operator with two inputs, at each row of a batch.

The operator's time is the lower one of the last watermarks of its inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.dataflow.operator import WatermarkedBatch
from firesteel.runtime.dataflow.retained_watermark import AscendingWatermarks, RetainedWatermark
from firesteel.runtime.state.base import StateBackend

Index = NDArray[np.int64]


@dataclass(frozen=True)
class Steps:
    """The m steps by which the time of an operator with two inputs advances within a batch.

    The operator's time is the lower one of the last watermarks of both inputs. An interval join by processing
    time has the clock instead.

    Attributes:
        before: The operator's time at the start of the batch, in milliseconds.
        times: int64[m], the operator's time after each step, ascending.
        sequences: int64[m], ascending. Step i comes after all rows with a sequence up to `sequences[i]`.
        sub_sequence: Sub-sequence of the changes that a step causes.
    """

    before: int
    times: Index
    sequences: Index
    sub_sequence: int = 0

    @property
    def last(self) -> int:
        """The operator's time at the end of the batch."""
        return int(self.times[-1]) if len(self.times) else self.before

    def passed(self, sequences: Index) -> Index:
        """Return the number of steps before each row, int64[n].

        Args:
            sequences: int64[n], sequence of the rows.
        """
        return np.searchsorted(self.sequences, sequences, side="left")

    def at_rows(self, passed: Index) -> Index:
        """Return the operator's time at each of n rows, int64[n].

        Args:
            passed: int64[n], number of steps before each row.
        """
        times: Index = np.concatenate([[self.before], self.times])[passed]
        return times


class PortWatermarks:
    """Last watermarks of both inputs, kept in the state. The lower one is the time of the operator.

    Args:
        backend: State of the operator.
        name: Prefix of the state's names.
    """

    def __init__(self, backend: StateBackend, name: str) -> None:
        self._ports = [
            RetainedWatermark(backend, f"{name}.{port}-watermark.v1") for port in ("left", "right")
        ]

    @property
    def now(self) -> int:
        """The operator's time: the lower one of the last watermarks of both inputs."""
        return min(port.now for port in self._ports)

    def advance(self, inputs: Sequence[WatermarkedBatch | None]) -> Steps:
        """Process the watermarks of a batch, and return the steps by which they advance the operator's time.

        Args:
            inputs: For each port its rows with the watermarks among them, None if it has neither.
        """
        before = self.now
        watermarks = [AscendingWatermarks.none() if part is None else _watermarks(part) for part in inputs]
        sequences = np.unique(np.concatenate([each.sequences for each in watermarks]))
        least = np.full(len(sequences), np.iinfo(np.int64).max)
        for port, each in zip(self._ports, watermarks, strict=True):
            times = np.maximum.accumulate(np.concatenate([[port.now], each.times]))
            np.minimum(least, times[np.searchsorted(each.sequences, sequences, side="right")], out=least)
            port.advance(int(times[-1]))
        moves = least > np.concatenate([[before], least[:-1]])
        return Steps(before, least[moves], sequences[moves], max(each.sub_sequence for each in watermarks))

    def save(self) -> None:
        """Write the watermarks that have changed to the state."""
        for port in self._ports:
            port.save()


def _watermarks(part: WatermarkedBatch) -> AscendingWatermarks:
    return AscendingWatermarks(part.times, part.sequences, part.sub_sequence)
