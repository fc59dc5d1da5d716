"""Numbers of partners of rows. An outer join pads a row without partners, and a semi join does not send it.

Without a condition besides the keys and without a time to live, all rows of a key have the same partners.
Then one number for each key is stored (`PartnerCounts`). Otherwise, each row has its own number
(`row_steps`). A row's own number still counts partners that have expired (Flink: numOfAssociations).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.operators.join.blocks import Block
from firesteel.runtime.operators.join.delta import Delta, Index
from firesteel.runtime.operators.join.pairs import Pairs
from firesteel.runtime.spec.join import JoinInput
from firesteel.runtime.state.base import StateBackend
from firesteel.types.arrow import to_arrow


@dataclass(frozen=True)
class Steps:
    """Numbers of partners before and after each of n changes or pairs, int64[n] each."""

    before: Index
    after: Index


class PartnerCounts:
    """State with the number of rows that one input has for each join key.

    A row of the other input has as many partners.

    Args:
        spec: The input.
        backend: State of the operator.
        name: Prefix of the state's name.
    """

    def __init__(self, spec: JoinInput, backend: StateBackend, name: str) -> None:
        key_types = [to_arrow(spec.types[key]) for key in spec.keys]
        self._one_row = spec.has_one_row
        self._counts = backend.value(f"{name}.counts.v1", key_types, [pa.int64()])

    def apply(self, delta: Delta, now: int) -> Steps:
        """Count the changes of the input in the state.

        Returns:
            Number of rows of each change's join key, before and after the change.
        """
        keys, order = delta.keys, delta.keys.order
        stored = self._stored(delta, now)
        signs = np.where(delta.joins, delta.signs, 0)[order]
        after = self._levels(signs, keys.starts) if self._one_row else np.cumsum(signs)
        before = np.empty_like(after)
        if self._one_row:
            before[1:] = after[:-1]
            before[keys.starts] = stored
        else:
            base = after[keys.starts] - signs[keys.starts] - stored
            after = after - np.repeat(base, keys.counts)
            before = after - signs
        self._put(delta, stored, after[keys.starts + keys.counts - 1], now)
        steps = Steps(np.empty_like(before), np.empty_like(after))
        steps.before[order], steps.after[order] = before, after
        return steps

    def get(self, delta: Delta, now: int) -> Index:
        """Return how many rows of this input have the join key of each change of the other input, int64[n].

        The number is 0 for a change that cannot have a partner, because its join key has a NULL.
        """
        counts = self._stored(delta, now)[delta.keys.codes]
        counts[~delta.joins] = 0
        return counts

    def _stored(self, delta: Delta, now: int) -> Index:
        found = self._counts.get(delta.keys, now)
        return np.array(found.columns[0].fill_null(0).to_numpy(zero_copy_only=False), np.int64)

    @staticmethod
    def _levels(signs: Index, starts: Index) -> Index:
        """Return the number of rows of the join key after each change, if a key has at most one row.

        `signs` has 1 for an addition of the row, -1 for a removal, 0 for a change that can have no partner.
        The result is 1 after an addition, else 0. So a +U without its -U does not count the row twice.
        """
        return (signs > 0).astype(np.int64)

    def _put(self, delta: Delta, stored: Index, last: Index, now: int) -> None:
        joins = np.zeros(len(delta.keys), np.bool_)
        joins[delta.keys.codes[delta.joins]] = True
        owners = np.flatnonzero((last != stored) & joins)
        if len(owners):
            self._counts.put(delta.keys, owners, [pa.array(last[owners])], now, last[owners] != 0)


def has_key_counts(inputs: Sequence[JoinInput], condition: object | None) -> bool:
    """Return whether all rows of a join key have the same number of partners.

    They have if the join has no condition besides its keys, and its inputs have no time to live.
    """
    return condition is None and not any(side.ttl for side in inputs)


def row_steps(found: Pairs, signs: Index, block: Block, one_row: bool = False) -> Steps:
    """Return the numbers of partners of each pair's row, and write the last numbers to the block.

    Args:
        found: Pairs of a change and a row. The change adds a partner to the row or removes one from it.
        signs: int64[n], 1 for a change that adds a row, -1 for a change that removes a row.
        block: The rows, whose numbers of partners are updated.
        one_row: Whether a row has at most one partner at a time. If True, the row has exactly 1 partner after
            a change that adds a partner, even if it had 1 before. This happens when the partner is updated by
            a +U without a -U. After a change that removes a partner, the row has 0 partners.

    Returns:
        For each pair, the number of partners of its row before and after the change of the pair.
    """
    by = np.argsort(found.rows, kind="stable")
    rows, steps = found.rows[by], signs[found.changes[by]]
    if not len(rows):
        return Steps(rows, rows)
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    stored, counts = block.partners[rows[starts]], np.diff(starts, append=len(rows))
    if one_row:
        after = (steps > 0).astype(np.int64)
        before = np.roll(after, 1)
        before[starts] = stored
    else:
        sums = np.cumsum(steps)
        after = sums - np.repeat(sums[starts] - steps[starts] - stored, counts)
        before = after - steps
    block.partners[rows] = after  # If a row has several pairs, NumPy keeps the last value.
    block.met[rows] = True
    found_steps = Steps(np.empty_like(before), np.empty_like(after))
    found_steps.before[by], found_steps.after[by] = before, after
    return found_steps
