"""The watermark of an operator with several inputs: the least watermark of its inputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from firesteel.runtime.dataflow.operator import MIN_WATERMARK, PortBatch
from firesteel.runtime.dataflow.retained_watermark import AscendingWatermarks

_NONE = np.zeros(0, np.int64)


class CombinedWatermarks:
    """The watermarks of all inputs of an operator, and their minimum, the watermark of the operator.

    Each input begins a micro-batch by repeating its last watermark. So a new instance gets the watermarks of
    all inputs without a state.

    Args:
        ports: Number of inputs.
        passed: Watermark of the operator before the micro-batch.
    """

    def __init__(self, ports: int, passed: int) -> None:
        self._watermarks = [MIN_WATERMARK] * ports
        self.passed = passed

    def advance(self, batch: PortBatch) -> AscendingWatermarks:
        """Process the watermarks of a batch. Return the new watermarks of the operator, in ascending order.

        A watermark of one input counts after the rows of all inputs with a sequence up to its own. So the
        result does not depend on where the inputs are cut into batches.
        """
        parts = [
            AscendingWatermarks.none() if part is None else AscendingWatermarks.of(part)
            for part in batch.inputs
        ]
        sequences = np.unique(np.concatenate([part.sequences for part in parts]))
        least = self._least(parts, sequences)
        for port, part in enumerate(parts):
            if len(part.times):
                self._watermarks[port] = max(self._watermarks[port], int(part.times[-1]))
        before = np.concatenate([[self.passed], np.maximum.accumulate(np.maximum(least, self.passed))])
        moves = before[1:] > before[:-1]
        self.passed = int(before[-1])
        sub_sequence = max((part.sub_sequence for part in parts), default=0)
        return (
            AscendingWatermarks(before[1:][moves], sequences[moves], sub_sequence)
            if len(sequences)
            else parts[0].none()
        )

    def _least(self, parts: Sequence[AscendingWatermarks], sequences: np.ndarray) -> np.ndarray:
        """Return the least watermark of all inputs after each sequence, int64[m]."""
        found = []
        for known, part in zip(self._watermarks, parts, strict=True):
            reached = np.maximum(np.concatenate([[known], part.times]), known)
            found.append(reached[np.searchsorted(part.sequences, sequences, side="right")])
        least: np.ndarray = np.minimum.reduce(found) if found else _NONE
        return least
