"""Pairs of changes of one input and rows of the other, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firesteel.runtime.operators.join.blocks import Block
from firesteel.runtime.operators.join.delta import Delta, Index, Mask

PIECE = 1 << 18
"""About how many pairs are made at once. A change of a dimension's row may have millions of partners."""

NONE = -1
"""In place of a row's number: there is none."""


@dataclass(frozen=True)
class Pairs:
    """p pairs, sorted by change, then by row.

    Attributes:
        changes: int64[p], the number of the change.
        rows: int64[p], the number of the other input's row, NONE for a change without a partner.
        done: How many changes have all their pairs in this piece and those before.
    """

    changes: Index
    rows: Index
    done: int

    def where(self, mask: Mask) -> Pairs:
        """Return some of the pairs."""
        return Pairs(self.changes[mask], self.rows[mask], self.done)

    def with_alone(self, alone: Index) -> Pairs:
        """Return the pairs and, in the order of changes, changes without a partner."""
        if not len(alone):
            return self
        changes = np.concatenate([self.changes, alone])
        rows = np.concatenate([self.rows, np.full(len(alone), NONE)])
        by = np.argsort(changes, kind="stable")
        return Pairs(changes[by], rows[by], self.done)


def pairs(delta: Delta, block: Block) -> Iterator[Pairs]:
    """Yield the pairs of equal join keys of a block; at least one piece, which may be empty.

    Args:
        delta: The changes.
        block: Some of the changes, and rows of the other input.
    """
    rows, some = block.rows, slice(block.begin, block.end)
    codes, joins = delta.keys.codes[some], delta.joins[some]
    starts = np.where(joins, rows.starts[codes], 0)
    sizes = np.where(joins, rows.stops[codes] - starts, 0)
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, max(total, 1), PIECE):
        end = min(begin + PIECE, total)
        places = np.arange(begin, end)
        changes = np.searchsorted(ends, places, side="right")
        at = starts[changes] + places - (ends[changes] - sizes[changes])
        done = int(np.searchsorted(ends, end, side="right")) if block.is_last else 0
        yield Pairs(block.begin + changes, at, block.begin + done)
