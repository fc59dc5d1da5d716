"""Spec of temporal joins."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class TimedInput:
    """One input of a join by row time.

    Attributes:
        types: Types of its fields.
        keys: Positions of the join key fields, in the same order as those of the other input.
        time: Position of the row time.
    """

    types: tuple[SqlType, ...]
    keys: tuple[int, ...]
    time: int


@dataclass(frozen=True)
class TemporalJoinSpec(OperatorSpec):
    """A join of each row with the version of a table at the row's time (Flink: TemporalRowTimeJoinOperator).

    Attributes:
        pads: Whether a row without a version is sent with NULLs (LEFT JOIN).
        inputs: The rows (port 0) and the versions (port 1).
        condition: Condition besides keys and times, over the fields of the row, then those of the
            version. None for no condition.
        ttl: Milliseconds after which an idle key is forgotten, 0 for never.
        state_id: Name of the state.
    """

    pads: bool
    inputs: tuple[TimedInput, TimedInput]
    condition: CalcSpec | None = None
    ttl: int = 0
    state_id: str = "temporal-join"

    @property
    def reads_watermarks(self) -> bool:
        """Whether watermarks make the operator act: a row waits until those of both inputs pass its time."""
        return True

    @property
    def port_order(self) -> tuple[int, ...]:
        """Return (0, 1): within a micro-batch, the rows come before the versions.

        When the versions of a micro-batch are processed, its rows and their watermarks have been processed.
        So a row is joined at the first watermark of the versions that passes its time. A version that comes
        after this watermark does not count for the row, even if its time is earlier and the same micro-batch
        reads it. So the results are the same, whether one micro-batch or several read the stream.
        """
        return 0, 1
