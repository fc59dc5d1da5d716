"""Pairs of changes of one input and rows of the other, in pieces of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from firesteel.runtime.columns.row_bytes import pieces, row_bytes
from firesteel.runtime.operators.join.blocks import Block
from firesteel.runtime.operators.join.delta import Delta, Index, Mask

PIECE, PIECE_BYTES = 1 << 18, 24 << 20
"""Approximate number and bytes of pairs in one piece.

A change of a dimension's row may have millions of partners, and each of its pairs is as wide as both rows.
"""

NONE = -1
"""Value in place of a row number if a change has no partner."""


@dataclass(frozen=True)
class Pairs:
    """p pairs of a change of one input and a row of the other input, sorted by change, then by row.

    Attributes:
        changes: int64[p], position of the change in the `Delta`.
        rows: int64[p], position of the row in the block, NONE for a change without a partner.
        done: Number of complete changes: the changes at the positions 0 to `done` - 1 of the `Delta` have no
            pair in any later piece.
    """

    changes: Index
    rows: Index
    done: int

    def where(self, mask: Mask) -> Pairs:
        """Return the pairs for which the mask is true."""
        return Pairs(self.changes[mask], self.rows[mask], self.done)

    def with_alone(self, alone: Index) -> Pairs:
        """Return the pairs with changes without a partner (`alone`) added, sorted by change."""
        if not len(alone):
            return self
        changes = np.concatenate([self.changes, alone])
        rows = np.concatenate([self.rows, np.full(len(alone), NONE)])
        by = np.argsort(changes, kind="stable")
        return Pairs(changes[by], rows[by], self.done)


def pairs(delta: Delta, block: Block) -> Iterator[Pairs]:
    """Yield the pairs of a block whose join keys are equal, in at least one piece, which may be empty.

    Args:
        delta: The changes.
        block: Some of the changes, and rows of the other input.
    """
    rows, some = block.rows, slice(block.begin, block.end)
    codes, joins = delta.keys.codes[some], delta.joins[some]
    starts = np.where(joins, rows.starts[codes], 0)
    sizes = np.where(joins, rows.stops[codes] - starts, 0)
    ends = np.cumsum(sizes)
    for begin, end in _cuts(delta, block, codes, sizes):
        places = np.arange(begin, end)
        changes = np.searchsorted(ends, places, side="right")
        at = starts[changes] + places - (ends[changes] - sizes[changes])
        done = int(np.searchsorted(ends, end, side="right")) if block.is_last else 0
        yield Pairs(block.begin + changes, at, block.begin + done)


def output_slices(rows: int, sizes: Callable[[], Index]) -> Iterator[slice]:
    """Cut the output rows of some pairs into slices of bounded size.

    The state of an input without a unique key has equal rows once, with the number of copies. A pair gives an
    output row for each copy of its row, so there can be many more output rows than pairs.

    Args:
        rows: Number of output rows.
        sizes: Function that returns int64[rows], the bytes of each output row.
    """
    if rows <= 2 * PIECE:
        yield slice(0, rows)
        return
    for start, stop in pieces(sizes(), PIECE_BYTES):
        yield slice(start, stop)


def _cuts(delta: Delta, block: Block, codes: Index, sizes: Index) -> Iterator[tuple[int, int]]:
    """Cut the pairs of a block into ranges [begin, end) of bounded size. No pairs give the range (0, 0).

    The size of a pair is the bytes of its change, plus the mean bytes of the rows with its join key, copies
    included. It is at least PIECE_BYTES / PIECE, so a range has at most PIECE pairs.

    Args:
        delta: The changes of the batch.
        block: n of these changes, and rows of the other input.
        codes: int64[n], join key of each change of the block, as an index into the keys of `delta`.
        sizes: int64[n], number of pairs of each change of the block.
    """
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    if not total:
        yield 0, 0
        return
    rows = block.rows
    of_rows = np.append(0, np.cumsum(row_bytes(rows.fields, len(rows.counts)) * rows.counts))
    of_keys = (of_rows[rows.stops] - of_rows[rows.starts])[codes]
    wide = delta.row_bytes[block.begin : block.end]
    each = np.maximum(wide + of_keys / np.maximum(sizes, 1), PIECE_BYTES / PIECE)
    weights = np.cumsum(each * sizes)
    targets = np.arange(1, int(weights[-1] // PIECE_BYTES) + 1) * float(PIECE_BYTES)
    at = np.minimum(np.searchsorted(weights, targets), len(sizes) - 1)
    inside = np.floor((targets - (weights - each * sizes)[at]) / each[at]).astype(np.int64)
    stops = np.unique((ends - sizes)[at] + np.clip(inside, 0, sizes[at]))
    stops = stops[(stops > 0) & (stops < total)]
    yield from pairwise([0, *stops.tolist(), total])
