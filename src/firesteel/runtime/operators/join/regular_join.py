"""Join: INNER, LEFT, RIGHT and FULL joins of two changing inputs. Flink: StreamingJoinOperator.

The inputs are processed one after the other. The changes of one input are joined with the current rows of the
other input:

    (L + dL) x (R + dR) - L x R  =  L x dR  +  dL x (R + dR)

All changes of a batch are joined together: the batch is sorted by join key, and the rows of each key are read
once. The results are those that Flink sends row by row:

- INNER: a joined row has the kind of the change that causes it.
- Outer joins: a new joined row is +I. A joined row that goes is -D if the changed input is padded, else it
  has the kind of the change.
- If a padded row gets its first partner, it is retracted first: `-D[l, null] +I[l, r]`. If a row loses its
  last partner, it is padded afterwards: `-D[l, r] +I[l, null]`.

Without a condition besides the keys and without a time to live, all rows of a key have the same partners.
Then one number of partners for each key determines which rows are padded. Otherwise, each row has its own
number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind, field
from firesteel.runtime.columns.row_bytes import row_bytes
from firesteel.runtime.dataflow.operator import Clock, Message, TwoInputOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.join.blocks import Block, blocks
from firesteel.runtime.operators.join.delta import Delta, Index, Mask
from firesteel.runtime.operators.join.fold import fold, has_nothing_to_fold
from firesteel.runtime.operators.join.pairs import NONE, Pairs, output_slices, pairs
from firesteel.runtime.operators.join.partner_counts import PartnerCounts, Steps, has_key_counts, row_steps
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.operators.join.side import JoinSide, Rows
from firesteel.runtime.spec.join import JoinKind, JoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend

Kinds = NDArray[np.int8] | int


class RegularJoin(TwoInputOperator):
    """Operator of a regular join. It keeps the rows of its inputs, for their time to live if there is one."""

    def __init__(self, spec: JoinSpec, state: StateBackend | None, clock: Clock) -> None:
        super().__init__()
        backend = state if state is not None else memory_backend()
        self.first = spec.port_order[0]
        self._spec = spec
        self._clock = clock
        self._residual = None if spec.condition is None else Residual(spec.condition)
        by_key = has_key_counts(spec.inputs, spec.condition)
        self._sides, self._counts = [], []
        for port, (side, name) in enumerate(zip(spec.inputs, ("left", "right"), strict=True)):
            name = f"{spec.state_id}.{name}"
            self._sides.append(JoinSide(side, backend, name, spec.kind.pads(port) and not by_key))
            self._counts.append(
                PartnerCounts(side, backend, name) if spec.kind.pads(1 - port) and by_key else None
            )

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        side, bundle = self._spec.inputs[port], self._spec.folds[port]
        if not bundle or has_nothing_to_fold(table, side):
            yield from self._meet(Delta.of(table, side, self._spec.null_safe), port)
            return
        for start in range(0, table.num_rows, bundle):
            left, replaced = fold(table.slice(start, bundle).combine_chunks(), side)
            if left.num_rows:
                yield from self._meet(Delta.of(left, side, self._spec.null_safe, replaced), port)

    def _meet(self, delta: Delta, port: int) -> Iterable[Message]:
        now = self._clock()
        counts = self._counts[port]
        steps = None if counts is None else counts.apply(delta, now)
        one_row = self._residual is None and self._spec.inputs[port].has_one_row
        meeting = _Meeting(self._spec.kind, port, delta, steps, one_row)
        for block in blocks(delta, self._sides[1 - port], now):
            for found in pairs(delta, block):
                yield from meeting.sent(self._holding(meeting, found, block.rows), block)
        self._sides[port].apply(delta, meeting.matched, now)

    def _holding(self, meeting: _Meeting, found: Pairs, rows: Rows) -> Pairs:
        """Return the pairs for which the condition is true."""
        if self._residual is None:
            return found
        columns = meeting.columns(found.changes, found.rows, rows)
        return found.where(self._residual.holds(columns, len(found.changes)))


class _Meeting:
    """Join of changes of one input with rows of the other input, block by block.

    Args:
        kind: Kind of the join.
        port: Input of the changes.
        delta: The changes.
        steps: Number of rows of the changed input that have the join key of each change, before and after
            the change. None if rows of the other input are never padded, or if the state has a number of
            partners for each of these rows.
        one_row: Whether a row of the other input has at most one partner.

    Attributes:
        matched: int64[n], number of partners of each change in the blocks that were joined so far.
    """

    def __init__(self, kind: JoinKind, port: int, delta: Delta, steps: Steps | None, one_row: bool) -> None:
        self._kind = kind
        self._port = port
        self._delta = delta
        self._steps = steps
        self._one_row = one_row
        self._done = 0
        self.matched = np.zeros(len(delta), np.int64)

    def sent(self, found: Pairs, block: Block) -> Iterator[pa.Table]:
        """Return tables of the changes to send for some pairs of a block, in the order of their changes."""
        some = slice(block.begin, block.end)
        self.matched[some] += np.bincount(
            found.changes - block.begin, block.rows.counts[found.rows], minlength=block.end - block.begin
        ).astype(np.int64)
        adds = self._delta.adds[found.changes]
        unpads = repads = np.zeros(len(adds), np.bool_)
        if self._kind.pads(1 - self._port):
            around = self._around(found, block)
            unpads, repads = adds & (around.before == 0), ~adds & (around.after == 0)
            if self._delta.replaced is not None:
                self._keep_unpadded(found, len(block.rows.counts), unpads, repads)
        if self._kind.pads(self._port):
            waiting = np.arange(self._done, found.done)
            alone = waiting[self.matched[waiting] == 0]
            places = np.concatenate([found.changes, alone])
            by = np.argsort(places, kind="stable")
            none = np.zeros(len(alone), np.bool_)
            unpads, repads = (np.concatenate([mask, none])[by] for mask in (unpads, repads))
            found = found.with_alone(alone)
        self._done = max(self._done, found.done)
        return self._tables(found, block.rows, unpads, repads)

    def _keep_unpadded(self, found: Pairs, rows: int, unpads: Mask, repads: Mask) -> None:
        """Clear `unpads` and `repads` where an update replaces the only partner of a row (Flink: isSuppress).

        Otherwise, the row would be padded between the two changes of the update. An example is a LEFT JOIN
        whose right input updates r1 to r2:

            -U[l, r1]  +I[l, null]  -D[l, null]  +I[l, r2]   ->   -U[l, r1]  +I[l, r2]

        Args:
            found: p pairs.
            rows: Number of rows of the other input in the block.
            unpads: bool[p], whether the padded row is retracted before a pair is added. Changed in place.
            repads: bool[p], whether the padded row is added after a pair is removed. Changed in place.
        """
        replaced = self._delta.replaced
        assert replaced is not None
        goes = np.flatnonzero(repads & replaced[found.changes])
        comes = np.flatnonzero(unpads)
        going = (found.changes[goes] + 1) * rows + found.rows[goes]
        coming = found.changes[comes] * rows + found.rows[comes]
        repads[goes] = ~np.isin(going, coming)
        unpads[comes] = ~np.isin(coming, going)

    def _around(self, found: Pairs, block: Block) -> Steps:
        """Return the numbers of partners of each pair's row, before and after the pair's change."""
        if self._steps is None:
            return row_steps(found, self._delta.signs, block, self._one_row)
        return Steps(self._steps.before[found.changes], self._steps.after[found.changes])

    def _tables(self, found: Pairs, rows: Rows, unpads: Mask, repads: Mask) -> Iterator[pa.Table]:
        """Yield changes tables with the pairs. A pair is sent once for each copy of the other input's row.

        Args:
            found: p pairs.
            rows: Rows of the other input.
            unpads: bool[p], whether -D of the padded row precedes each copy of the pair.
            repads: bool[p], whether +I of the padded row follows each copy of the pair.
        """
        doubled = unpads | repads
        each = np.repeat(np.arange(len(found.rows)), _copies(found, rows))
        twice = np.repeat(np.arange(len(each)), 1 + doubled[each])
        of = each[twice]
        second = np.diff(twice, prepend=-1) == 0
        pads = np.where(second, repads[of], unpads[of])
        changes = found.changes[of]
        come, go = self._kinds(changes)
        kinds = np.where(self._delta.adds[changes], come, go)
        padded = np.where(self._delta.adds[changes], RowKind.DELETE, RowKind.INSERT)
        kinds = np.where(pads, padded, kinds).astype(np.int8)
        own, other = np.where(pads, NONE, changes), found.rows[of]

        def sizes() -> Index:
            of_others = np.append(row_bytes(rows.fields, len(rows.counts)), 0)  # at NONE (-1): 0 bytes
            both: Index = self._delta.row_bytes[changes] + of_others[other]
            return both

        for some in output_slices(len(of), sizes) if len(of) else ():
            columns = self.columns(own[some], other[some], rows)
            yield derived(self._delta.changes, changes[some], pa.array(kinds[some]), columns)

    def _kinds(self, changes: Index) -> tuple[Kinds, Kinds]:
        """Return the row kinds of new joined rows, and those of retracted joined rows, for q changes.

        Each of the two is int8[q], the kind for each change, or one number, the kind for all changes.
        """
        own = self._delta.kinds[changes]
        if self._kind is JoinKind.INNER:
            return own, own
        return int(RowKind.INSERT), int(RowKind.DELETE) if self._kind.pads(self._port) else own

    def columns(self, changes: Index, at: Index, rows: Rows) -> list[pa.Array]:
        """Return the fields of pairs: those of the left input, then those of the right input.

        `changes` are positions in the delta, `at` positions in `rows`, the rows of the other input. The
        fields of an input are NULL where its position is NONE (-1).
        """
        own = [_taken(column, changes) for column in self._delta.fields]
        other = [_taken(column, at) for column in rows.fields]
        return [*own, *other] if self._port == 0 else [*other, *own]


def _copies(found: Pairs, rows: Rows) -> Index:
    """Return how many copies the other input has of each pair's row, int64[p]; 1 for no row (NONE)."""
    copies = np.ones(len(found.rows), np.int64)
    there = found.rows != NONE
    copies[there] = rows.counts[found.rows[there]]
    return copies


def _taken(column: pa.Array, at: Index) -> pa.Array:
    """Return the values at the given positions, NULL for a position of NONE (-1)."""
    return column.take(pa.array(at, mask=at == NONE))


def build(spec: JoinSpec, state: StateBackend | None, clock: Clock) -> RegularJoin:
    return RegularJoin(spec, state, clock)


def code(spec: JoinSpec) -> Iterator[str]:
    left, right = (", ".join(map(field, side.keys)) or "no key" for side in spec.inputs)
    bundle = max(spec.folds)
    how = f", in bundles of {bundle} rows" if bundle else ""
    yield f"-- Join ({spec.kind.name}), left by {left}, right by {right}{how}"
    if spec.condition is not None and spec.condition.condition is not None:
        yield f"ON {spec.condition.condition}"
