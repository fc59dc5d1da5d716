"""One batch of an interval join: pairs and padded rows, in the order in which Flink sends them.

Each new row is compared with the rows of the other input that arrived before it, have its key and a fitting
time, and have not expired. So the later row of a pair makes the pair. A row without a partner is padded when
it expires, or at once if no later row can be its partner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.runtime.dataflow.operator import WatermarkedBatch
from firesteel.runtime.dataflow.sequence import concat, derived, in_order
from firesteel.runtime.operators.interval_join.arrivals import Arrivals, Index
from firesteel.runtime.operators.interval_join.candidates import Candidates
from firesteel.runtime.operators.interval_join.expired import Expired
from firesteel.runtime.operators.interval_join.port_watermarks import Steps
from firesteel.runtime.operators.interval_join.retained_rows import RetainedRows
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.types.arrow import to_arrow

PIECE = 1 << 18
"""Approximate number of pairs to create at once."""


class Meeting:
    """Join of the rows of one batch.

    Args:
        spec: Settings of the join.
        arrivals: The rows of the batch.
        kept: State of both inputs.
        steps: Steps by which the operator's time advances within the batch.
        residual: Condition besides key and time, None for none.
    """

    def __init__(
        self, spec: IntervalJoinSpec, arrivals: Arrivals, kept: Sequence[RetainedRows], steps: Steps,
        residual: Residual | None,
    ) -> None:  # fmt: skip
        self._spec = spec
        self._arrivals = arrivals
        self._kept = kept
        self._steps = steps
        self._residual = residual
        self._none = [pa.schema([(str(i), to_arrow(t)) for i, t in enumerate(s.types)]) for s in spec.inputs]
        self._candidates = [Candidates(spec, port, arrivals, kept[port]) for port in (0, 1)]
        self._expired = [
            Expired(spec, port, arrivals, self._candidates[port], kept[port], steps)
            for port in (0, 1)
            if spec.kind.pads(port)
        ]

    def pieces(self) -> Iterator[WatermarkedBatch]:
        """Yield the rows to send, with a watermark for each step of the operator's time (`Steps`).

        The caller lowers these watermarks before it sends them.
        """
        starts, sizes = self._ranges()
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        done = steps_done = 0
        for begin in range(0, max(total, 1), PIECE):
            places = np.arange(begin, min(begin + PIECE, total))
            arrived = np.searchsorted(ends, places, side="right")
            at = starts[arrived] + places - (ends[arrived] - sizes[arrived])
            tables = [self._pairs(port, arrived, at) for port in (0, 1)]
            until = int(np.searchsorted(ends, places[-1] + 1, side="right")) if total else len(self._arrivals)
            tables += [self._alone(port, done, until) for port in (0, 1) if self._spec.kind.pads(port)]
            steps_until = self._steps_before(until)
            for each in self._expired:
                tables.append(self._padded_later(each, steps_done, steps_until))
            rows = in_order(concat(tables).combine_chunks())
            times = self._steps.times[steps_done:steps_until]
            yield WatermarkedBatch(
                rows, times, self._steps.sequences[steps_done:steps_until], self._steps.sub_sequence
            )
            done, steps_done = until, steps_until

    def store(self) -> None:
        """Store new rows that have not expired, and mark stored rows that have found a partner."""
        for port, kept in enumerate(self._kept):
            rows, candidates = self._arrivals.sides[port], self._candidates[port]
            kept.found_partner(candidates.stored, np.flatnonzero(candidates.matched[: candidates.first_new]))
            matched = candidates.matched[candidates.first_new :]
            pads = self._spec.kind.pads(port)
            live = rows.stays & (rows.times + self._spec.expiry(port) > self._steps.last)
            here = np.flatnonzero(live & (rows.joins | pads))
            kept.add(self._arrivals.keys, rows, here, ~matched[here])

    def _ranges(self) -> tuple[Index, Index]:
        """Return where the candidates of each arrived row begin, and their number, int64[N] each.

        The begin is a position among the other input's candidates, sorted by key and time.
        """
        starts, sizes = (np.zeros(len(self._arrivals), np.int64) for _ in range(2))
        for port in (0, 1):
            rows = self._arrivals.sides[port]
            first, stop = self._candidates[1 - port].near(rows)
            starts[rows.ranks], sizes[rows.ranks] = first, stop - first
        return starts, sizes

    def _steps_before(self, until: int) -> int:
        """Return the number of steps of the operator's time (`Steps`) before arrival number `until`.

        If `until` is the number of all arrivals, return the number of all steps in the batch.
        """
        if until >= len(self._arrivals):
            return len(self._steps.times)
        port, row = self._arrivals.ports[until], self._arrivals.rows[until]
        return int(self._arrivals.sides[port].passed[row])

    def _pairs(self, port: int, arrived: Index, at: Index) -> pa.Table:
        """Return the joined rows of pairs whose later row is from one input.

        Args:
            port: The input.
            arrived: int64[p], position of a row in the order of arrival.
            at: int64[p], position of a candidate for this row in the sorted order of the other input.
        """
        rows, candidates = self._arrivals.sides[port], self._candidates[1 - port]
        mine = self._arrivals.ports[arrived] == port
        arrived, found = arrived[mine], candidates.at(at[mine])
        new = self._arrivals.rows[arrived]
        meets = candidates.meets(found, arrived, rows.now[new])
        new, found = new[meets], found[meets]
        columns = self._columns(port, [c.take(pa.array(new)) for c in rows.fields], candidates, found)
        if self._residual is not None:
            holds = np.flatnonzero(self._residual.holds(columns, len(new)))
            new, found = new[holds], found[holds]
            columns = [column.take(pa.array(holds)) for column in columns]
        candidates.matched[found] = True
        own = self._candidates[port]
        own.matched[own.first_new + new] = True
        return self._sent(port, new, columns)

    def _columns(
        self, port: int, own: list[pa.Array], candidates: Candidates, found: Index
    ) -> list[pa.Array]:
        other = [column.take(pa.array(found)) for column in candidates.fields]
        return [*own, *other] if port == 0 else [*other, *own]

    def _alone(self, port: int, done: int, until: int) -> pa.Table:
        """Return the rows of one input that are padded at once, among the arrivals [done, until).

        They have found no partner, and no row that arrives later can be one.
        """
        rows, candidates = self._arrivals.sides[port], self._candidates[port]
        new = self._arrivals.rows[done:until][self._arrivals.ports[done:until] == port]
        new = new[~rows.stays[new] & ~candidates.matched[candidates.first_new + new]]
        return self._sent(port, new, self._padded(port, [c.take(pa.array(new)) for c in rows.fields]))

    def _padded_later(self, expired: Expired, start: int, stop: int) -> pa.Table:
        """Return the padded rows that expire at the steps [start, stop) of the operator's time."""
        sequences, fields = expired.rows(start, stop)
        return expired.sent(sequences, self._padded(expired.port, fields))

    def _padded(self, port: int, fields: Sequence[pa.Array]) -> list[pa.Array]:
        count = len(fields[0])
        nulls = [pa.nulls(count, kind) for kind in self._none[1 - port].types]
        return [*fields, *nulls] if port == 0 else [*nulls, *fields]

    def _sent(self, port: int, new: Index, columns: list[pa.Array]) -> pa.Table:
        kinds = pa.array(np.full(len(new), RowKind.INSERT, np.int8))
        return derived(self._arrivals.sides[port].changes, new, kinds, columns)
