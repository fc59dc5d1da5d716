"""The rows of the other input that changes meet, in blocks of bounded size.

The changes are cut into sections, in their order. One section reads the rows of its keys in one go. If a
single key has more rows than a section may read, its rows are read part by part, anew for each change: the
pairs of a change come before those of the next one.

    changes     a b a | a a | c d     a has most rows: READ_ROWS and more
    blocks      a1 a2 b* a1 a2 | ...  a1, a2: the parts of a; * one block

So an update of a dimension's row that has ten million partners is worked off with the memory for some of
them. A key that many changes meet is read once a section, not once a change, unless it is as large as that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firesteel.runtime.operators.join.delta import Delta, Index
from firesteel.runtime.operators.join.side import JoinSide, Rows

READ_ROWS, READ_BYTES = 1 << 20, 96 << 20
"""Most rows and bytes that a section reads, unless one key has more. The bytes of a row are a mean."""
PART_ROWS, PART_BYTES = 1 << 18, 24 << 20
"""About how many rows and bytes of a large key are read at once."""


@dataclass(frozen=True)
class Block:
    """Some consecutive changes and rows of the other input that they meet.

    Attributes:
        rows: The rows.
        partners: int64[m], how many partners each row has by now; empty where that is not kept. Whoever makes
            the pairs changes it in place.
        begin, end: The changes [begin, end).
        is_last: Whether these are the last rows of the changes.
    """

    rows: Rows
    partners: Index
    begin: int
    end: int
    is_last: bool = True


def blocks(delta: Delta, side: JoinSide, now: int) -> Iterator[Block]:
    """Yield all blocks, at least one. Changed numbers of partners are written behind each section.

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
    """Cut the changes into ranges [begin, end). The keys of a range have few rows, or it has one larger key.

    Args:
        delta: The changes.
        sizes: int64[g], how many rows each key has.
        most: Most rows of all keys of a range.
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
    """Return the change before each change with its key, int64[n]; -1 for none."""
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
    block = Block(rows, rows.partners.copy(), begin, end)
    yield block
    side.set_partners(delta.keys, rows, block.partners, now)


def _in_parts(delta: Delta, side: JoinSide, begin: int, end: int, parts: int, now: int) -> Iterator[Block]:
    """Yield blocks of changes of one key, with one of several parts of its rows each."""
    code = int(delta.keys.codes[begin])
    moved: dict[int, Index] = {}
    for change in range(begin, end):
        for part in range(parts):
            rows = side.part(delta.keys, code, part, parts, now)
            partners = moved[part] if part in moved else rows.partners.copy()
            yield Block(rows, partners, change, change + 1, part == parts - 1)
            if part in moved or not np.array_equal(partners, rows.partners):
                moved[part] = partners
    for part, partners in moved.items():
        side.set_partners(delta.keys, side.part(delta.keys, code, part, parts, now), partners, now)
