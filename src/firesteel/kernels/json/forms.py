"""Convert cells of JSON values in unusual forms to cells of the forms that are read in columns."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled
from firesteel.kernels.json.cells import DECIMAL, INTEGER, KIND_SHIFT, NESTED, STRING, bounds, cell
from firesteel.kernels.json.compact import KEYS, is_compact
from firesteel.kernels.json.numbers import SURE_DIGITS, TEXT_BYTES
from firesteel.kernels.types import Bytes, Cells, Integers
from firesteel.kernels.words import byte_at

_BLANK, _PLUS, _POINT, _ZERO, _NINE, _LOWER_E, _LOWER_CASE = 32, 43, 46, 48, 57, 101, 32


@compiled
def trim(data: Bytes, cells: Cells, blanks: bool) -> None:
    """Trim, in strings that hold numbers, the characters that Java ignores.

    These are a plus before a digit and, with `blanks`, all characters at both ends with codes up to 32, the
    blank's code.

    Args:
        data: The block of messages.
        cells: int64[n], cells of the values. Those of strings are replaced.
        blanks: Whether to trim the characters at both ends.
    """
    for index in range(len(cells)):
        if cells[index] >> KIND_SHIFT != STRING:
            continue
        at, end = bounds(cells[index])
        if blanks:
            while at < end and byte_at(data, at) <= _BLANK:
                at += 1
            while at < end and byte_at(data, end - 1) <= _BLANK:
                end -= 1
        if at + 1 < end and byte_at(data, at) == _PLUS and _ZERO <= byte_at(data, at + 1) <= _NINE:
            at += 1
        cells[index] = cell(STRING, at, end - at)


@compiled
def cut_fractions(data: Bytes, cells: Cells) -> None:
    """Turn cells of numbers with a fraction into INTEGER cells, without the fraction.

    Cells of numbers with an exponent, or of more than SURE_DIGITS bytes, are unchanged.
    """
    for index in range(len(cells)):
        if cells[index] >> KIND_SHIFT != DECIMAL:
            continue
        at, end = bounds(cells[index])
        point = end
        for place in range(at, end):
            if byte_at(data, place) == _POINT:
                point = place
            elif byte_at(data, place) | _LOWER_CASE == _LOWER_E:
                point = end
                break
        if point < end and end - at <= SURE_DIGITS:
            cells[index] = cell(INTEGER, at, point - at)


@compiled
def shorten(data: Bytes, cells: Cells, as_decimals: bool, keys: Integers, text: Bytes) -> None:
    """Turn cells of objects and lists into STRING cells if their text is as Jackson would write it.

    `is_compact` decides this, and explains `as_decimals` and the work spaces `keys` and `text`.
    """
    for index in range(len(cells)):
        at, end = bounds(cells[index])
        if cells[index] >> KIND_SHIFT == NESTED and is_compact(data, at, end, as_decimals, keys, text):
            cells[index] = cell(STRING, at, end - at)


def warm() -> None:
    """Load the kernels, or compile them."""
    data, cells = np.zeros(8, np.uint8), np.empty(0, np.int64)
    data.flags.writeable = False
    trim(data, cells, True)
    cut_fractions(data, cells)
    shorten(data, cells, True, np.empty((KEYS, 4), np.int64), np.empty(TEXT_BYTES, np.uint8))
