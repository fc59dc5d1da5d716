"""Read the values of JSON cells (cells.py) as texts, as integers, or as indexes into a list of words."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.json.cells import (
    ESCAPED,
    INTEGER,
    KIND_SHIFT,
    LENGTH_SHIFT,
    MAX_LENGTH,
    NULL,
    START_MASK,
    STRING,
    bounds,
)
from firesteel.kernels.json.text import copy_unescaped
from firesteel.kernels.types import Bytes, Cells, Flags, Integers, Offsets
from firesteel.kernels.words import load_word, store_word

_MINUS, _ZERO, _NINE = 45, 48, 57
_MOST_DIGITS = 18


@compiled
def texts_size(cells: Cells) -> int:
    """Return the size of the array `out` for `copy_texts`: that of all texts, and eight bytes more.

    It copies eight bytes at a time, and so may write beyond the last text.
    """
    size = 8
    for index in range(len(cells)):
        if cells[index] >> KIND_SHIFT > NULL:
            size += (cells[index] >> LENGTH_SHIFT) & MAX_LENGTH
    return size


@inlined
def copy_bytes(data: Bytes, at: int, end: int, out: Bytes, place: int) -> int:
    """Copy data[at:end] to out[place:], and return the position after the copy.

    Eight bytes are read and written at a time. So `data` must have at least eight bytes. `out` needs room for
    eight bytes after the copy, and up to seven of them are overwritten.
    """
    behind = place + end - at
    last = len(data) - 8
    while place < behind:
        # A word that began at `at` may reach beyond the end of `data`. It is then read from the last eight
        # bytes, and the shift drops those before `at`.
        start = min(at, last)
        store_word(out, place, load_word(data, start) >> np.uint64((at - start) << 3))
        place += 8
        at += 8
    return behind


@compiled
def copy_texts(data: Bytes, cells: Cells, offsets: Offsets, out: Bytes, there: Flags, odd: Flags) -> None:
    """Copy the text of each value into the layout of an Arrow column.

    Args:
        data: The bytes.
        cells: n cells.
        offsets: int32[n + 1]. Text i is out[offsets[i]:offsets[i + 1]].
        out: Receives the texts. A value other than a string keeps its JSON text.
        there: bool[n], receives whether there is a value, False for NULL and a missing member.
        odd: bool[n], receives which strings have half of a surrogate pair.
    """
    place = 0
    for index in range(len(cells)):
        offsets[index] = place
        kind = cells[index] >> KIND_SHIFT
        odd[index] = False
        there[index] = kind > NULL
        if kind <= NULL:
            continue
        at, end = bounds(cells[index])
        if kind == ESCAPED:
            behind = copy_unescaped(data, at, end, out, place)
            if behind < 0:
                odd[index], there[index] = True, False
            else:
                place = behind
        else:
            place = copy_bytes(data, at, end, out, place)
    offsets[len(cells)] = place


@compiled
def read_integers(
    data: Bytes, cells: Cells, least: int, most: int, values: Integers, there: Flags, odd: Flags
) -> None:
    """Read the integer of each value, from strings as well as numbers.

    Args:
        data: The bytes.
        cells: n cells.
        least: Least valid value.
        most: Greatest valid value.
        values: int64[n], receives the integers.
        there: bool[n], receives whether there is a value.
        odd: bool[n], receives True for a value that is neither an integer nor a string with an integer, that
            has more than 18 digits, or that is below `least` or above `most`.
    """
    for index in range(len(cells)):
        kind = cells[index] >> KIND_SHIFT
        values[index] = 0
        odd[index] = False
        there[index] = kind > NULL
        if kind <= NULL:
            continue
        at, end = bounds(cells[index])
        negative = at < end and data[at] == _MINUS
        if negative:
            at += 1
        good = (kind == INTEGER or kind == STRING) and at < end and end - at <= _MOST_DIGITS
        value = 0
        while good and at < end:
            good = _ZERO <= data[at] <= _NINE
            value = value * 10 + (data[at] - _ZERO)
            at += 1
        if negative:
            value = -value
        if good and least <= value <= most:
            values[index] = value
        else:
            odd[index], there[index] = True, False


@compiled
def find_words(data: Bytes, cells: Cells, words: Bytes, ends: Offsets, found: Integers) -> None:
    """Write to `found`, for each value, the index of the word that it equals, or -1.

    Word j is words[ends[j]:ends[j + 1]]. The result is -1 for a string with escapes, and for any other value
    that is not a string.
    """
    for index in range(len(cells)):
        found[index] = -1
        if cells[index] >> KIND_SHIFT != STRING:
            continue
        at = cells[index] & START_MASK
        length = (cells[index] >> LENGTH_SHIFT) & MAX_LENGTH
        for word in range(len(ends) - 1):
            if ends[word + 1] - ends[word] == length:
                same = True
                for step in range(length):
                    if words[ends[word] + step] != data[at + step]:
                        same = False
                        break
                if same:
                    found[index] = word
                    break


def warm() -> None:
    """Load the kernels, or compile them."""
    data, out = np.zeros(8, np.uint8), np.empty(8, np.uint8)
    data.flags.writeable = False
    cells, values, flags = np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_)
    offsets = np.zeros(1, np.int32)
    texts_size(cells)
    copy_texts(data, cells, offsets, out, flags, flags)
    read_integers(data, cells, 0, 0, values, flags, flags)
    find_words(data, cells, data, offsets, values)
