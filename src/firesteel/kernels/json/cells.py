"""Cells: words that hold the kind and the position of a value in JSON text, until the value is needed.

A cell is `kind << 60 | length << 32 | start`. `start` and `length` are the value's first byte in the block of
messages and the number of its bytes; for a string, those between the quotes.

The cell of a list or map has another meaning if the plan (plan.py) asks for its elements. The scan (scan.py)
then writes each element as a row of a table of their own. In the cell, `start` is the number of the first of
these rows, and `length` is the number of elements.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import inlined
from firesteel.kernels.types import Bytes, Cells, Flags

MISSING, NULL, WORD, INTEGER, DECIMAL, STRING, ESCAPED, NESTED = range(8)
"""Kinds of cells.

MISSING: the member does not exist. WORD: true or false. DECIMAL: a number with a fraction or an exponent.
ESCAPED: a string with escapes. NESTED: an object or a list.
"""
MAX_LENGTH = (1 << 28) - 1

KIND_SHIFT, LENGTH_SHIFT = 60, 32
START_MASK = (1 << 32) - 1


@inlined
def cell(kind: int, start: int, length: int) -> int:
    """Return the cell of a value with this kind, first byte and length."""
    return (kind << KIND_SHIFT) | (length << LENGTH_SHIFT) | start


@inlined
def bounds(value: int) -> tuple[int, int]:
    """Return the begin and the end of the bytes of a cell's value."""
    at = value & START_MASK
    return at, at + ((value >> LENGTH_SHIFT) & MAX_LENGTH)


def kinds(cells: Cells) -> Cells:
    """Return the kind of each of n cells, int64[n]."""
    return cells >> KIND_SHIFT


def is_from(cells: Cells, kind: int) -> Flags:
    """Return whether each cell is of this kind or a kind with a higher number, bool[n].

    Unlike a test of `kinds(cells)`, this makes no temporary array.
    """
    found: Flags = cells >= kind << KIND_SHIFT
    return found


def starts(cells: Cells) -> Cells:
    """Return the `start` of each cell, int64[n]: a position in the block, or the number of a row."""
    return cells & START_MASK


def lengths(cells: Cells) -> Cells:
    """Return the number of bytes or elements of each value, int64[n]."""
    return (cells >> LENGTH_SHIFT) & MAX_LENGTH


def first_bytes(data: Bytes, cells: Cells) -> Bytes:
    """Return the first byte of each value, 0 for an empty one, uint8[n]."""
    found = np.zeros(len(cells), np.uint8)
    there = (kinds(cells) > NULL) & (lengths(cells) > 0)
    found[there] = data[starts(cells)[there]]
    return found
