"""Find the records and values of CSV text, as Jackson's CsvDecoder does.

A value is a cell of kernels/json/cells.py: STRING, or ESCAPED if it contains doubled quotes. A quote may open
a value only at its beginning. After the closing quote, only a delimiter or the end of the record may follow.
These kernels do not handle text with quotes in other places.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.json.cells import ESCAPED, KIND_SHIFT, LENGTH_SHIFT, MAX_LENGTH, STRING, bounds, cell
from firesteel.kernels.json.values import copy_bytes
from firesteel.kernels.types import Bytes, Cells, Flags, Integers, Offsets
from firesteel.kernels.words import byte_at, load_word, low_zeros

ODD, OPEN = -1, -2
"""Results instead of a position: a quote in a wrong position (ODD), or a quote that is not closed (OPEN)."""
_LF, _CR = 10, 13
_LOW = np.uint64(0x0E0E0E0E0E0E0E0E)
"""Bytes below this value need a closer check: they may end a line.

The limit is repeated in each byte of a word.
"""
_ONES, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@compiled
def record_ends(data: Bytes, delimiter: int, quote: int, ends: Offsets) -> tuple[int, bool]:
    """Find the ends of records.

    Args:
        data: The text.
        delimiter: Byte between values.
        quote: Quote byte, -1 for none.
        ends: int32[m], receives the positions after the first m records.

    Returns:
        (count, is_open). `count` is the number of records that end with LF. It may be above m. It is ODD
        if a quote is in a wrong position. `is_open` tells whether the text after these records has a quote
        that opens a value and is not closed.
    """
    count, at, start = 0, 0, 0
    while True:
        at = _next_of(data, at, len(data), _LF, quote)
        if at == len(data):
            return count, False
        if byte_at(data, at) == _LF:
            at += 1
            start = at
            if count < len(ends):
                ends[count] = at
            count += 1
            continue
        if at > start and byte_at(data, at - 1) != delimiter:
            return ODD, False
        at, _ = _closing(data, at + 1, len(data), quote)
        if at == OPEN:
            return count, True
        at += 1
        if at < len(data) and not _ends_value(byte_at(data, at), delimiter):
            return ODD, False


@compiled
def scan_records(
    data: Bytes, offsets: Integers, delimiter: int, quote: int, wanted: Integers, cells: Cells, odd: Flags
) -> None:
    """Find the values of n records. Record i is data[offsets[i]:offsets[i + 1]], with or without a line end.

    Args:
        data: The text.
        offsets: int64[n + 1].
        delimiter: Byte between values.
        quote: Quote byte, -1 for none.
        wanted: int64[w], for each value of a record the column of `cells` that receives it, or -1.
        cells: int64[n, k].
        odd: bool[n], receives which records do not have w values, or have a quote in a wrong position.
    """
    for number in range(len(offsets) - 1):
        at, end = offsets[number], offsets[number + 1]
        if end > at and byte_at(data, end - 1) == _LF:
            end -= 1
        if end > at and byte_at(data, end - 1) == _CR:
            end -= 1
        odd[number] = False
        for place in range(len(wanted)):
            at = _value(data, at, end, delimiter, quote, wanted[place], number, cells)
            is_last = place + 1 == len(wanted)
            if at < 0 or (at == end) != is_last:
                odd[number] = True
                break
            at += 1


@inlined
def _value(
    data: Bytes, at: int, end: int, delimiter: int, quote: int, column: int, number: int, cells: Cells
) -> int:  # fmt: skip
    """Write the cell of the value that begins at `at`. Return the position after it and its quote, or ODD."""
    kind, start, stop = STRING, at, at
    if at < end and byte_at(data, at) == quote:
        start = at + 1
        stop, doubled = _closing(data, start, end, quote)
        at = stop + 1
        if stop == OPEN or (at < end and byte_at(data, at) != delimiter):
            return ODD
        kind = ESCAPED if doubled else STRING
    else:
        at = stop = _unquoted_end(data, at, end, delimiter, quote)
        if at == ODD:
            return ODD
    if stop - start > MAX_LENGTH:
        return ODD
    if column >= 0:
        cells[number, column] = cell(kind, start, stop - start)
    return at


@compiled
def fields_size(cells: Cells) -> int:
    """Return an upper bound of the number of bytes of the texts of all cells."""
    total = 0
    for index in range(len(cells)):
        total += (cells[index] >> LENGTH_SHIFT) & MAX_LENGTH
    return total


@compiled
def copy_fields(data: Bytes, cells: Cells, quote: int, offsets: Offsets, out: Bytes) -> None:
    """Copy the texts of n cells, one after the other.

    Args:
        data: The text.
        cells: int64[n].
        quote: Quote byte.
        offsets: int32[n + 1], receives the bounds: text i is out[offsets[i]:offsets[i + 1]].
        out: uint8[fields_size + 8], receives the texts.
    """
    place = 0
    for index in range(len(cells)):
        offsets[index] = place
        at, end = bounds(cells[index])
        if cells[index] >> KIND_SHIFT != ESCAPED:
            place = copy_bytes(data, at, end, out, place)
            continue
        while at < end:
            out[place] = byte_at(data, at)
            place += 1
            at += 2 if byte_at(data, at) == quote else 1
    offsets[len(cells)] = place


@inlined
def _ends_value(byte: int, delimiter: int) -> bool:
    return byte == delimiter or byte == _LF or byte == _CR


@inlined
def _unquoted_end(data: Bytes, at: int, end: int, delimiter: int, quote: int) -> int:
    """Return the position after an unquoted value, or ODD if the value contains a quote or a line end."""
    delimiters = np.uint64(delimiter) * _ONES
    quotes = np.uint64(quote if quote >= 0 else delimiter) * _ONES
    last = len(data) - 8
    while at < end and at <= last:
        word = load_word(data, at)
        first, second = word ^ delimiters, word ^ quotes
        low = (word - _LOW) & ~word
        marks = (((first - _ONES) & ~first) | ((second - _ONES) & ~second) | low) & _HIGH_BITS
        if not marks:
            at += 8
            continue
        at += low_zeros(marks) >> 3
        if at >= end or byte_at(data, at) == delimiter:
            return min(at, end)
        if byte_at(data, at) == quote or byte_at(data, at) == _LF or byte_at(data, at) == _CR:
            return ODD
        at += 1
    while at < end and byte_at(data, at) != delimiter:
        if byte_at(data, at) == quote or byte_at(data, at) == _LF or byte_at(data, at) == _CR:
            return ODD
        at += 1
    return min(at, end)


@inlined
def _closing(data: Bytes, at: int, end: int, quote: int) -> tuple[int, bool]:
    """Return the position of the closing quote of a value, or OPEN; and whether doubled quotes precede it."""
    doubled = False
    while True:
        at = _next_of(data, at, end, quote, quote)
        if at == end:
            return OPEN, doubled
        if at + 1 < end and byte_at(data, at + 1) == quote:
            doubled = True
            at += 2
        else:
            return at, doubled


@inlined
def _next_of(data: Bytes, at: int, end: int, one: int, other: int) -> int:
    """Return the next position of either of two bytes, or `end`. `other` is -1 if there is only one."""
    ones, others = np.uint64(one) * _ONES, np.uint64(other if other >= 0 else one) * _ONES
    last = len(data) - 8
    while at < end and at <= last:
        word = load_word(data, at)
        first, second = word ^ ones, word ^ others
        marks = (((first - _ONES) & ~first) | ((second - _ONES) & ~second)) & _HIGH_BITS
        if marks:
            return min(at + (low_zeros(marks) >> 3), end)
        at += 8
    at = min(at, end)
    while at < end and byte_at(data, at) != one and byte_at(data, at) != other:
        at += 1
    return at


def warm() -> None:
    """Load the kernels, or compile them."""
    data, odd = np.zeros(8, np.uint8), np.empty(0, np.bool_)
    data.flags.writeable = False
    none, ends = np.zeros(1, np.int64), np.empty(1, np.int32)
    record_ends(data, 44, 34, ends)
    scan_records(data, none, 44, 34, none[:0], np.empty((0, 1), np.int64), odd)
    fields_size(none[:0])
    copy_fields(data, none[:0], 34, ends, np.empty(8, np.uint8))
