"""Blocks of bounded size: changes of one input, with the rows of the other input that have their join keys.

The changes are cut into consecutive sections. Usually, a section is one block, with all rows of its keys. If
a key has more rows than a block may have, its successive changes are a section. The rows of the key are
divided into parts, of which only one is in memory at a time. Each change of the section has a block for each
part. All results of a change must be sent before the results of the next change. So a change goes through all
parts, and the next change reads all parts again from the state.

    changes     a a | b c b      key a has more than READ_ROWS rows (in this example, in two parts)
    blocks      a1 a2 a1 a2 | *  a1, a2: a change of a with part 1 or part 2 of the rows of a
                                 *: the changes b c b with all rows of b and c

So the update of a dimension's row with ten million partners needs only the memory for one part of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firesteel.runtime.operators.join.delta import Delta, Index, Mask
from firesteel.runtime.operators.join.side import JoinSide, Rows

READ_ROWS, READ_BYTES = 1 << 20, 96 << 20
"""Maximum number and bytes of the rows that are read from the state at once.

If a join key has more rows, they are read in parts. The bytes are the number of rows times their mean size.
"""
PART_ROWS, PART_BYTES = 1 << 18, 24 << 20
"""Approximate number and bytes of the rows in one part of a large key."""


@dataclass(frozen=True)
class Block:
    """Some consecutive changes, and rows of the other input with their join keys.

    Attributes:
        rows: The rows.
        partners: int64[m], current number of partners of each row; empty if the state has no such numbers.
            The operator updates the array in place as it joins changes with the rows.
        met: bool[m], True for a row whose number in `partners` a change of the batch has set. Such numbers
            are written to the state. Empty if `partners` is empty. The operator updates this array, too.
        begin: Position of the first change in the `Delta`.
        end: Position after the last change.
        is_last: Whether no later block has more rows for these changes.
    """

    rows: Rows
    partners: Index
    met: Mask
    begin: int
    end: int
    is_last: bool = True


def blocks(delta: Delta, side: JoinSide, now: int) -> Iterator[Block]:
    """Yield all blocks, at least one. In between, write changed numbers of partners to the state.

    Args:
        delta: The changes.
        side: The other input.
        now: Processing time in milliseconds.
    """
    held = side.held()
    width = side.row_bytes() if held else 1
    most = max(1, min(READ_ROWS, READ_BYTES // width))
    if held <= most:
        yield from _at_once(delta, side, 0, len(delta), now)
        return
    wanted = np.zeros(len(delta.keys), np.bool_)
    wanted[delta.keys.codes[delta.joins]] = True
    sizes = np.zeros(len(delta.keys), np.int64)
    sizes[wanted] = side.sizes(delta.keys, np.flatnonzero(wanted))
    part = max(1, min(PART_ROWS, PART_BYTES // width))
    for begin, end in _sections(delta, sizes, most):
        code = int(delta.keys.codes[begin])
        if delta.joins[begin] and sizes[code] > most:
            yield from _in_parts(delta, side, begin, end, -(-int(sizes[code]) // part), now)
        else:
            yield from _at_once(delta, side, begin, end, now)


def _sections(delta: Delta, sizes: Index, most: int) -> Iterator[tuple[int, int]]:
    """Cut the changes into ranges [begin, end).

    The keys of a range have at most `most` rows together, or the range has a single key with more rows.

    Args:
        delta: The changes.
        sizes: int64[g], number of rows of each key.
        most: Maximum number of rows that the keys of a range have together.
    """
    if int(sizes.sum()) <= most:
        yield 0, len(delta)
        return
    codes = delta.keys.codes
    large = delta.joins & (sizes > most)[codes]
    rows = np.where(delta.joins, sizes[codes], 0)
    before = _previous(delta)
    begin = 0
    while begin < len(codes):
        if large[begin]:
            others = np.flatnonzero(~large[begin:] | (codes[begin:] != codes[begin]))
            end = begin + int(others[0]) if len(others) else len(codes)
        else:
            read = np.cumsum(np.where(before[begin:] < begin, rows[begin:], 0))
            end = begin + max(1, int(np.searchsorted(read, most, side="right")))
        yield begin, end
        begin = end


def _previous(delta: Delta) -> Index:
    """Return the number of the previous change with the same key for each change, int64[n]; -1 for none."""
    before = np.empty(len(delta), np.int64)
    order = delta.keys.order
    before[order[1:]] = order[:-1]
    before[order[delta.keys.starts]] = -1
    return before


def _at_once(delta: Delta, side: JoinSide, begin: int, end: int, now: int) -> Iterator[Block]:
    joins, codes = delta.joins[begin:end], delta.keys.codes[begin:end]
    wanted = np.zeros(len(delta.keys), np.bool_)
    wanted[codes[joins]] = True
    rows = side.rows(delta.keys, np.flatnonzero(wanted), now)
    block = Block(rows, rows.partners.copy(), np.zeros(len(rows.partners), np.bool_), begin, end)
    yield block
    side.set_partners(delta.keys, rows, block.partners, block.met, now)


def _in_parts(delta: Delta, side: JoinSide, begin: int, end: int, parts: int, now: int) -> Iterator[Block]:
    """Yield a block for each change in [begin, end) and each part of the rows of their common key."""
    code = int(delta.keys.codes[begin])
    moved: dict[int, tuple[Index, Mask]] = {}
    for change in range(begin, end):
        for part in range(parts):
            rows = side.part(delta.keys, code, part, parts, now)
            if part in moved:
                partners, met = moved[part]
            else:
                partners, met = rows.partners.copy(), np.zeros(len(rows.partners), np.bool_)
            yield Block(rows, partners, met, change, change + 1, part == parts - 1)
            if met.any():
                moved[part] = partners, met
    for part, (partners, met) in moved.items():
        side.set_partners(delta.keys, side.part(delta.keys, code, part, parts, now), partners, met, now)
