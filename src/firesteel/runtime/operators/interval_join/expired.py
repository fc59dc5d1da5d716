"""Rows that expire in a batch without a partner, stored ones and new ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.runtime.operators.interval_join.arrivals import Arrivals, Index
from firesteel.runtime.operators.interval_join.candidates import Candidates
from firesteel.runtime.operators.interval_join.kept_rows import KeptRows, Waiting, concat_fields
from firesteel.runtime.operators.interval_join.port_watermarks import Steps
from firesteel.runtime.operators.window.fired import inserts
from firesteel.runtime.spec.interval_join import IntervalJoinSpec


class Expired:
    """The rows of a padded input that the steps of the event time reach.

    Args:
        spec: Settings of the join.
        port: The input.
        arrivals: The rows of the batch.
        candidates: The rows of the input that take part in the batch.
        kept: State of the input.
        steps: Event time of the operator.
    """

    def __init__(
        self, spec: IntervalJoinSpec, port: int, arrivals: Arrivals, candidates: Candidates, kept: KeptRows,
        steps: Steps,
    ) -> None:  # fmt: skip
        self.port = port
        self._new = arrivals.sides[port]
        self._candidates = candidates
        self._kept = kept
        self._steps = steps
        waiting = kept.take_expired(steps.last) if len(steps.times) else None
        self._waiting = waiting
        expiry = spec.expiry(port)
        ends = self._new.times + expiry
        self._new_steps = np.where(self._new.stays, np.searchsorted(steps.times, ends), len(steps.times))
        if waiting is not None:
            self._stored_steps = np.searchsorted(steps.times, waiting.times + expiry)

    def rows(self, start: int, stop: int) -> tuple[Index, Sequence[pa.Array]]:
        """Return the orders of the steps and the fields of the rows that expire at steps [start, stop).

        All rows that arrive before step `stop` must have met their partners.
        """
        candidates = self._candidates
        here = np.flatnonzero((self._new_steps >= start) & (self._new_steps < stop))
        here = here[~candidates.matched[candidates.first_new + here]]
        fields = [column.take(pa.array(here)) for column in self._new.fields]
        steps = self._new_steps[here]
        if self._waiting is None or not len(self._waiting.times):
            return self._steps.orders[steps], fields
        matched = candidates.stored.numbers[candidates.matched[: candidates.first_new]]
        alone = ~np.isin(self._waiting.numbers, matched)
        old = np.flatnonzero((self._stored_steps >= start) & (self._stored_steps < stop) & alone)
        taken = pa.array(old)
        part = Waiting(
            self._waiting.times[old], self._waiting.numbers[old],
            tuple(column.take(taken) for column in self._waiting.keys),
        )  # fmt: skip
        stored = self._kept.rows_of(part)
        both = np.concatenate([self._stored_steps[old], steps])
        return self._steps.orders[both], concat_fields(stored, fields)

    def sent(self, orders: Index, columns: Sequence[pa.Array]) -> pa.Table:
        """Return rows as changes that steps cause."""
        return inserts(orders, self._steps.place, columns)
