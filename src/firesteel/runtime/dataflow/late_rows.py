"""Rows that an operator drops because they came too late, for a dead-letter table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from firesteel.runtime.dataflow.sequence import Numbers


@dataclass(frozen=True)
class LateTable:
    """Late rows of one input of an operator.

    Attributes:
        rows: Changes table of the input.
        port: The input.
        times: int64[n], milliseconds. Event time of each row. For a row with window columns, the last
            millisecond of its window. For an accumulator of a local phase, the last millisecond of its slice.
        watermarks: int64[n], watermark in milliseconds when each row came.
    """

    rows: pa.Table
    port: int
    times: Numbers
    watermarks: Numbers


class LateRows:
    """Collector of the late rows of one operator, in the order in which they came."""

    def __init__(self) -> None:
        self._held: list[LateTable] = []

    def add(self, late: LateTable) -> None:
        self._held.append(late)

    def take(self) -> Sequence[LateTable]:
        """Remove and return the collected rows."""
        taken, self._held = self._held, []
        return taken
