"""How a value of a JSON text is held until somebody wants it: a word says what it is and where it stands.

A cell is `kind << 60 | length << 32 | start`. Of a value, start and length are its bytes in the block of
messages (a string's without its quotes). Of a list or a map that a plan follows, they are its first row in
the table of its elements, and their number."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import inlined
from firesteel.kernels.types import Bytes, Cells, Flags

MISSING, NULL, WORD, INTEGER, DECIMAL, STRING, ESCAPED, NESTED = range(8)
"""Kinds. MISSING: there is no such member. WORD: true or false. DECIMAL: a number with a fraction or an
exponent. ESCAPED: a string with escapes. NESTED: an object or a list."""
MAX_LENGTH = (1 << 28) - 1

KIND_SHIFT, LENGTH_SHIFT = 60, 32
START_MASK = (1 << 32) - 1


@inlined
def cell(kind: int, start: int, length: int) -> int:
    """See above."""
    return (kind << KIND_SHIFT) | (length << LENGTH_SHIFT) | start


@inlined
def bounds(value: int) -> tuple[int, int]:
    """Where the bytes of a cell's value begin and end."""
    at = value & START_MASK
    return at, at + ((value >> LENGTH_SHIFT) & MAX_LENGTH)


def kinds(cells: Cells) -> Cells:
    """int64[n]: the kind of each of n cells."""
    return cells >> KIND_SHIFT


def is_from(cells: Cells, kind: int) -> Flags:
    """bool[n]: whether each is of this kind or one behind it in their order. One pass, no words made."""
    found: Flags = cells >= kind << KIND_SHIFT
    return found


def starts(cells: Cells) -> Cells:
    """int64[n]: where each value, or its elements, begins."""
    return cells & START_MASK


def lengths(cells: Cells) -> Cells:
    """int64[n]: the bytes or elements of each."""
    return (cells >> LENGTH_SHIFT) & MAX_LENGTH


def first_bytes(data: Bytes, cells: Cells) -> Bytes:
    """uint8[n]: the first byte of each value; 0 of an empty one."""
    found = np.zeros(len(cells), np.uint8)
    there = (kinds(cells) > NULL) & (lengths(cells) > 0)
    found[there] = data[starts(cells)[there]]
    return found
