"""Columns of random texts: pieces of a pool of letters, without a copy for each text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.connectors.nexmark.random_values import Integers, Words

LEAST_LENGTH = 3
"""Length of the shortest random text."""
_POOL = 1 << 20
_SPECIAL = 13
"""Mean distance from one special character of a text, such as a blank, to the next one."""
Bytes = NDArray[np.uint8]


@cache
def pool(special: str = "") -> Bytes:
    """Return random letters a to z, uint8[1 MiB]. One in 13 is replaced by `special`, unless that is ""."""
    random = np.random.Generator(np.random.Philox(ord(special) if special else 0))
    letters = random.integers(ord("a"), ord("z") + 1, _POOL, np.uint8)
    if special:
        letters[random.integers(0, _SPECIAL, _POOL) == 0] = ord(special)
    return letters


def texts(lengths: Integers, bounds: Integers, starts: Words, letters: Bytes) -> pa.StringArray:
    """Return one text for each length.

    The texts of a chunk follow each other in the pool, from a random position on. So the letters of a chunk
    are copied at once. For example, a chunk with the lengths 3 and 2 that starts at position 7 has the texts
    pool[7:10] and pool[10:12].

    Args:
        lengths: Number of characters of each text, int64[n].
        bounds: Positions in `lengths` where a chunk begins, and n; int64[chunks + 1].
        starts: Random number of each chunk, uint64[chunks]. It determines the chunk's position in the pool.
        letters: The pool.
    """
    offsets = _offsets(lengths)
    ends = offsets[bounds]
    sizes = np.diff(ends).tolist()
    pieces = [
        piece
        for start, size in zip(starts.tolist(), sizes, strict=True)
        for piece in _pieces(letters, start % len(letters), size)
    ]
    return _strings(offsets, np.concatenate(pieces) if pieces else letters[:0])


def _pieces(letters: Bytes, start: int, size: int) -> Iterator[Bytes]:
    """Yield `size` letters of the endlessly repeated pool."""
    while size > 0:
        piece = letters[start : start + size]
        yield piece
        start, size = 0, size - len(piece)


def trimmed(values: pa.StringArray) -> pa.StringArray:
    """Return the texts without blanks at both ends."""
    return pc.ascii_trim(values, characters=" ")


def lengths_of(values: pa.StringArray) -> Integers:
    """Return the number of bytes of each text, int64[n]."""
    return np.asarray(pc.binary_length(values).to_numpy(zero_copy_only=False), np.int64)


def chosen(choices: Sequence[str] | pa.StringArray, places: Integers) -> pa.StringArray:
    """Return the element of `choices` at each of the given positions."""
    return pa.array(choices, pa.string()).take(pa.array(places))


def spread(values: pa.Array, rows: Integers, count: int) -> pa.Array:
    """Return a column of `count` rows with the values at `rows`. The values of other rows are undefined.

    Args:
        values: m values without NULL, one for each of `rows`: int64, timestamps or texts. The array must not
            be a slice of a longer array, because its buffers are used from their beginning.
        rows: Ascending row numbers, int64[m].
        count: Number of rows.
    """
    if len(rows) == count:
        return values
    if pa.types.is_string(values.type):
        lengths = np.zeros(count, np.int64)
        lengths[rows] = lengths_of(values)
        return _strings(_offsets(lengths), np.frombuffer(values.buffers()[2] or b"", np.uint8))
    whole = np.zeros(count, np.int64)
    whole[rows] = values.view(pa.int64()).to_numpy()
    return pa.array(whole).view(values.type)


def _offsets(lengths: Integers) -> Integers:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _strings(offsets: Integers, data: Bytes) -> pa.StringArray:
    buffers = [None, pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
