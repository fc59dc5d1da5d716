"""Settings of interval joins (see runtime/spec/operators.py)."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.join import JoinInput, JoinKind
from firesteel.runtime.spec.operators import OperatorSpec


@dataclass(frozen=True)
class IntervalJoinSpec(OperatorSpec):
    """A join of two insert-only inputs whose times are close (Flink: TimeIntervalJoin).

    A pair has: right time + lower <= left time <= right time + upper.

    Attributes:
        kind: Which rows are sent without a partner.
        inputs: The left input (port 0) and the right one (port 1).
        null_safe: For each key whether NULL equals NULL (IS NOT DISTINCT FROM).
        lower: Least difference of the times in milliseconds.
        upper: Greatest difference of the times in milliseconds. If it is below `lower`, no pair exists.
        is_rowtime: Whether the times are event time, else processing time.
        times: Position of the row time in each input.
        condition: Condition besides keys and times, over the fields of the left input, then those of the
            right input. None for no condition.
        min_cleanup: Milliseconds that a row is kept after its last possible partner.
        state_id: Name of the state.
    """

    kind: JoinKind
    inputs: tuple[JoinInput, JoinInput]
    null_safe: tuple[bool, ...]
    lower: int
    upper: int
    is_rowtime: bool
    times: tuple[int, int]
    condition: CalcSpec | None = None
    min_cleanup: int = 0
    state_id: str = "interval-join"

    @property
    def reads_watermarks(self) -> bool:
        return self.is_rowtime

    @property
    def sets_timers(self) -> bool:
        return not self.is_rowtime and any(map(self.kind.pads, (0, 1)))

    @property
    def port_order(self) -> tuple[int, ...]:
        return 0, 1

    @property
    def has_pairs(self) -> bool:
        """Whether the bounds allow any pair at all."""
        return self.lower <= self.upper

    def reach(self, port: int) -> int:
        """Return how many milliseconds later than a row of an input its last possible partner may be."""
        return -self.lower if port == 0 else self.upper

    def expiry(self, port: int) -> int:
        """Return how many milliseconds after its own time a row is dropped.

        In a join by event time, the row is dropped when the watermarks of both inputs have reached this
        time. In a join by processing time, it is dropped when the clock has reached it.
        """
        return self.reach(port) + 1 + self.min_cleanup

    @property
    def delay(self) -> int:
        """By how many milliseconds the sent watermark is below the received one.

        A joined row has the times of both rows. The earlier one may be this far below the watermark.
        """
        return max(self.reach(0), self.reach(1)) if self.has_pairs else 0
