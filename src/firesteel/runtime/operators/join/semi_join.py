"""Semi and anti join: left rows with a partner (IN, EXISTS), or without one (NOT IN, NOT EXISTS).

Flink: StreamingSemiAntiJoinOperator. A change of the left input is sent with its own kind if its row
qualifies. A change of the right input sends the left rows that get their first partner or lose their last
one. A semi join sends them with the kind of the change. An anti join sends -D if the first partner comes, +I
if the last one goes.

Without a condition besides the keys and without a time to live, the state of the right input is one number of
rows for each join key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind, field
from firesteel.runtime.columns.row_bytes import row_bytes
from firesteel.runtime.dataflow.operator import Clock, Message, TwoInputOperator
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.operators.join.blocks import Block, blocks
from firesteel.runtime.operators.join.delta import Delta, Index, Mask
from firesteel.runtime.operators.join.pairs import Pairs, output_slices, pairs
from firesteel.runtime.operators.join.partner_counts import PartnerCounts, has_key_counts, row_steps
from firesteel.runtime.operators.join.residual import Residual
from firesteel.runtime.operators.join.side import JoinSide, Rows
from firesteel.runtime.spec.join import SemiJoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend

LEFT, RIGHT = 0, 1


class SemiJoin(TwoInputOperator):
    """Operator of a semi or anti join. It keeps its inputs' rows, for their time to live if there is one."""

    first = RIGHT

    def __init__(self, spec: SemiJoinSpec, state: StateBackend | None, clock: Clock) -> None:
        super().__init__()
        backend = state if state is not None else memory_backend()
        left, right = spec.inputs
        self._spec = spec
        self._clock = clock
        self._residual = None if spec.condition is None else Residual(spec.condition)
        each_counts = not has_key_counts(spec.inputs, spec.condition)
        self._left = JoinSide(left, backend, f"{spec.state_id}.left", each_counts)
        self._right = JoinSide(right, backend, f"{spec.state_id}.right", False) if each_counts else None
        self._counts = None if each_counts else PartnerCounts(right, backend, f"{spec.state_id}.right")

    def changes(self, table: pa.Table, port: int = 0) -> Iterable[Message]:
        delta = Delta.of(table, self._spec.inputs[port], self._spec.null_safe)
        return self._of_left(delta) if port == LEFT else self._of_right(delta)

    def _of_left(self, delta: Delta) -> Iterator[pa.Table]:
        now = self._clock()
        if self._counts is not None:
            partners = self._counts.get(delta, now)
        else:
            assert self._right is not None
            partners = np.zeros(len(delta), np.int64)
            for block in blocks(delta, self._right, now):
                for found in self._holding(delta, block, LEFT):
                    counts = block.rows.counts[found.rows]
                    np.add.at(partners, found.changes, counts)
        self._left.apply(delta, partners, now)
        at = np.flatnonzero((partners == 0) == self._spec.anti)
        if len(at):
            yield delta.changes.take(pa.array(at))

    def _of_right(self, delta: Delta) -> Iterator[pa.Table]:
        now = self._clock()
        if self._counts is not None:
            steps = self._counts.apply(delta, now)
            moving = replace(delta, joins=delta.joins & _moves(delta.adds, steps.before, steps.after))
            for block in blocks(moving, self._left, now):
                for found in pairs(moving, block):
                    yield from self._sent(delta, block.rows, found)
            return
        assert self._right is not None
        one_row = self._residual is None and self._spec.inputs[RIGHT].has_one_row
        for block in blocks(delta, self._left, now):
            for found in self._holding(delta, block, RIGHT):
                around = row_steps(found, delta.signs, block, one_row)
                moves = _moves(delta.adds[found.changes], around.before, around.after)
                yield from self._sent(delta, block.rows, found.where(moves))
        self._right.apply(delta, np.empty(0, np.int64), now)

    def _holding(self, delta: Delta, block: Block, port: int) -> Iterator[Pairs]:
        """Yield the pairs of a block for which the condition is true."""
        if self._residual is None:
            yield from pairs(delta, block)
            return
        for found in pairs(delta, block):
            own = [column.take(pa.array(found.changes)) for column in delta.fields]
            other = [column.take(pa.array(found.rows)) for column in block.rows.fields]
            columns = [*own, *other] if port == LEFT else [*other, *own]
            yield found.where(self._residual.holds(columns, len(found.changes)))

    def _sent(self, delta: Delta, rows: Rows, found: Pairs) -> Iterator[pa.Table]:
        """Yield the changes of the left rows of some pairs, one for each copy of the row."""
        of: Index = np.repeat(np.arange(len(found.rows)), rows.counts[found.rows])
        if not len(of):
            return
        changes, at = found.changes[of], found.rows[of]
        kinds = delta.kinds[changes]
        if self._spec.anti:
            kinds = np.where(delta.adds[changes], RowKind.DELETE, RowKind.INSERT).astype(np.int8)
        for some in output_slices(len(of), lambda: row_bytes(rows.fields, len(rows.counts))[at]):
            fields = [column.take(pa.array(at[some])) for column in rows.fields]
            yield derived(delta.changes, changes[some], pa.array(kinds[some]), fields)


def _moves(adds: Mask, before: Index, after: Index) -> Mask:
    """Return which changes of the right input give a left row its first partner or take its last, bool[n].

    `adds`: which changes add a partner. `before`, `after`: number of partners before and after the change.
    """
    moves: Mask = np.where(adds, before, after) == 0
    return moves


def build(spec: SemiJoinSpec, state: StateBackend | None, clock: Clock) -> SemiJoin:
    return SemiJoin(spec, state, clock)


def code(spec: SemiJoinSpec) -> Iterator[str]:
    left, right = (", ".join(map(field, side.keys)) or "no key" for side in spec.inputs)
    yield f"-- {'Anti' if spec.anti else 'Semi'}Join, left by {left}, right by {right}"
    if spec.condition is not None and spec.condition.condition is not None:
        yield f"ON {spec.condition.condition}"
