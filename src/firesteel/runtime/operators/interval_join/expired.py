"""Rows that expire in a batch without a partner, both stored and new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.operators.interval_join.arrivals import Arrivals, Index
from firesteel.runtime.operators.interval_join.candidates import Candidates
from firesteel.runtime.operators.interval_join.port_watermarks import Steps
from firesteel.runtime.operators.interval_join.retained_rows import RetainedRows, concat_fields
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.spec.interval_join import IntervalJoinSpec


class Expired:
    """Rows of an input that expire in a batch, as the operator's time advances in steps (`Steps`).

    It is used for an input whose rows the join pads. The operator's time is the lower watermark of both
    inputs, or the clock in a join by processing time.

    Args:
        spec: Settings of the join.
        port: The input.
        arrivals: The rows of the batch.
        candidates: Rows of the input that may join rows of the batch.
        kept: State of the input.
        steps: Steps by which the operator's time advances in the batch.
    """

    def __init__(
        self, spec: IntervalJoinSpec, port: int, arrivals: Arrivals, candidates: Candidates,
        kept: RetainedRows, steps: Steps,
    ) -> None:  # fmt: skip
        self.port = port
        self._new = arrivals.sides[port]
        self._candidates = candidates
        self._kept = kept
        self._steps = steps
        expiry = spec.expiry(port)
        new_steps = np.searchsorted(steps.times, self._new.times + expiry)
        self._of_new = _ByStep.of(np.where(self._new.stays, new_steps, len(steps.times)))
        waiting = kept.take_expired(steps.last) if len(steps.times) else None
        self._waiting = waiting if waiting is not None and len(waiting.times) else None
        if self._waiting is not None:
            self._of_stored = _ByStep.of(np.searchsorted(steps.times, self._waiting.times + expiry))
            self._among = _positions(self._waiting.numbers, candidates.stored.numbers)

    def rows(self, start: int, stop: int) -> tuple[Index, Sequence[pa.Array]]:
        """Return the rows without a partner that expire as the operator's time advances by some steps.

        The steps are those with the numbers [start, stop). Call this method only after all rows that arrive
        before step `stop` were joined.

        Returns:
            Sequence of the step at which each row expires, and the fields of the rows.
        """
        matched, first_new = self._candidates.matched, self._candidates.first_new
        here, steps = self._of_new.between(start, stop)
        alone = ~matched[first_new + here]
        here, steps = here[alone], steps[alone]
        fields = [column.take(pa.array(here)) for column in self._new.fields]
        if self._waiting is None:
            return self._steps.sequences[steps], fields
        old, old_steps = self._of_stored.between(start, stop)
        among = self._among[old]
        alone = among < 0
        alone[~alone] = ~matched[among[~alone]]
        old, old_steps = old[alone], old_steps[alone]
        if not len(old):
            return self._steps.sequences[steps], fields
        stored = self._kept.rows_of(self._waiting.take(old))
        return self._steps.sequences[np.concatenate([old_steps, steps])], concat_fields(stored, fields)

    def sent(self, sequences: Index, columns: Sequence[pa.Array]) -> pa.Table:
        """Return a changes table with an insert for each row.

        Args:
            sequences: Sequence of the step at which each row expires.
            columns: Fields of the rows.
        """
        return inserts(sequences, self._steps.sub_sequence, columns)


@dataclass(frozen=True)
class _ByStep:
    """Rows by the step at which they expire.

    Attributes:
        rows: int64[n], numbers of the rows, sorted by the step at which they expire.
        steps: int64[n], the step of each of these rows, ascending.
    """

    rows: Index
    steps: Index

    @classmethod
    def of(cls, steps: Index) -> _ByStep:
        rows = np.argsort(steps, kind="stable")
        return cls(rows, steps[rows])

    def between(self, start: int, stop: int) -> tuple[Index, Index]:
        """Return the rows that expire at steps [start, stop), and these steps."""
        low, high = np.searchsorted(self.steps, [start, stop])
        return self.rows[low:high], self.steps[low:high]


def _positions(numbers: Index, among: Index) -> Index:
    """Return the position in `among` of each of some distinct numbers, -1 for a number that is not there."""
    order = np.argsort(among)
    at = np.searchsorted(among[order], numbers)
    found = np.full(len(numbers), -1)
    there = at < len(among)
    there[there] = among[order[at[there]]] == numbers[there]
    found[there] = order[at[there]]
    return found
