"""Scan a block of JSON messages in one pass, and write each wanted value's cell to tables of rows.

A plan (plan.py) describes the wanted values. A message is **odd** if it is no JSON object, if its values
differ in structure from the plan, or if it has a wanted member twice. An odd message leaves no rows.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.json.cells import (
    DECIMAL,
    ESCAPED,
    INTEGER,
    LENGTH_SHIFT,
    MAX_LENGTH,
    MISSING,
    NESTED,
    NULL,
    START_MASK,
    STRING,
    WORD,
    cell,
)
from firesteel.kernels.json.plan import (
    COLUMN,
    DIGITS,
    FIRST_MEMBER,
    INNER,
    IS_FLAT,
    KIND,
    LIST,
    MAP,
    NEXT,
    NODE,
    NODE_SIZE,
    OBJECT,
    TABLE,
    VALUE,
    WRITTEN_LENGTH,
    is_next,
    member_of,
)
from firesteel.kernels.json.text import copy_unescaped
from firesteel.kernels.json.tokens import (
    BAD,
    MAX_NAME_LENGTH,
    blanks_end,
    colon_end,
    is_plain_number,
    is_same,
    number_end,
    string_end,
    value_end,
    word_end,
)
from firesteel.kernels.types import Bytes, Cells, Flags, Integers
from firesteel.kernels.words import byte_at, entry, put

FULL = -2
"""Result of a scan if a table has no room left. The caller scans the block again with larger tables."""
BASE, WIDTH, CAPACITY, COUNT, _BEFORE, TABLE_SIZE = range(6)
"""Fields of a table in `tables`: start in `cells`, number of columns, capacity, and number of rows.

_BEFORE is the number of rows before the current message.
"""
SKIPPED = 16
"""Number of entries in the array `skipped` of `scan`. An entry is start and length of an unwanted value.

If value number i of an object or list is an unwanted object or list, its entry is i % SKIPPED. The scan notes
the value there. The next value with the same entry usually comes in the next message. If it has the same
text, it is not scanned again (`_skipped`).
"""
MAX_DEPTH = 32
"""Greatest depth of nested values, which is the size of `stack`.

Each level has a node, the position of its row (for a list or map, of its cell), the number of elements so
far, and the next expected member.
"""
_OPEN_SIZE = 4
_QUOTE, _COMMA, _MINUS, _POINT, _ZERO, _NINE, _N = 34, 44, 45, 46, 48, 57, 110
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST = 123, 125, 91, 93
_LONGEST = 20_000_000
"""Maximum number of bytes of a message. A longer one is odd: a string in it may exceed Jackson's limit."""
_MOST_ENTRIES = 500
"""Maximum number of entries of a map, since each key is compared with all others. Longer ones are odd."""


@compiled
def scan(
    data: Bytes, offsets: Integers, plan: Integers, names: Bytes, tables: Integers, cells: Cells,
    numbers: Integers, odd: Flags, stack: Integers, skipped: Integers, scratch: Bytes,
) -> int:  # fmt: skip
    """Fill the tables from n messages, and return the number of rows of table 0, or FULL.

    Args:
        data: The bytes. Message i is data[offsets[i]:offsets[i + 1]]. An empty message has no row.
        offsets: int64[n + 1].
        plan: Nodes and members, the root first.
        names: Names of the members.
        tables: TABLE_SIZE entries for each table.
        cells: Receives the rows of all tables.
        numbers: int64[n], receives the number of the message of each row of table 0.
        odd: bool[n], receives which messages are odd.
        stack: int64[MAX_DEPTH * 4], work space.
        skipped: int64[SKIPPED * 2], work space.
        scratch: Work space for keys with escapes. A message with a longer key is odd.
    """
    rows = 0
    for place in range(SKIPPED):
        skipped[place * 2 + 1] = 0
    for number in range(len(offsets) - 1):
        at, end = offsets[number], offsets[number + 1]
        odd[number] = False
        if at == end:
            continue
        if end - at > _LONGEST:
            odd[number] = True
            continue
        for table in range(0, len(tables), TABLE_SIZE):
            put(tables, table + _BEFORE, entry(tables, table + COUNT))
        at = _message(data, at, end, plan, names, tables, cells, stack, skipped, scratch)
        if at == FULL:
            return FULL
        if at == BAD or blanks_end(data, at, end) != end:
            odd[number] = True
            for table in range(0, len(tables), TABLE_SIZE):
                put(tables, table + COUNT, entry(tables, table + _BEFORE))
            continue
        numbers[rows] = number
        rows += 1
    return rows


@inlined
def _new_row(tables: Integers, cells: Cells, table: int) -> int:
    """Return the position in `cells` of a new empty row, or FULL."""
    row = entry(tables, table + COUNT)
    if row == entry(tables, table + CAPACITY):
        return FULL
    put(tables, table + COUNT, row + 1)
    width = entry(tables, table + WIDTH)
    place = entry(tables, table + BASE) + row * width
    for column in range(width):
        put(cells, place + column, 0)
    return place


@inlined
def _message(
    data: Bytes, at: int, end: int, plan: Integers, names: Bytes, tables: Integers, cells: Cells,
    stack: Integers, skipped: Integers, scratch: Bytes,
) -> int:  # fmt: skip
    """Scan one message. Return the position after its closing brace, BAD if it is odd, FULL without room."""
    at = blanks_end(data, at, end)
    if at >= end or byte_at(data, at) != _OPEN_OBJECT:
        return BAD
    row = _new_row(tables, cells, 0)
    if row < 0:
        return FULL
    # `node`, `row`, `elements` and `step` describe the innermost open value, like a level of `stack`.
    node, elements, step = 0, 0, entry(plan, FIRST_MEMBER)
    opened = 0
    at = blanks_end(data, at + 1, end)
    while at < end:
        if byte_at(data, at) == (_CLOSE_LIST if entry(plan, node + KIND) == LIST else _CLOSE_OBJECT):
            if not _closed(data, plan, tables, cells, node, row, elements):
                return BAD
            at += 1
            if opened == 0:
                return at
            opened -= _OPEN_SIZE
            node, row = entry(stack, opened), entry(stack, opened + 1)
            elements, step = entry(stack, opened + 2), entry(stack, opened + 3)
        else:
            at = _separated(data, at, end, elements)
            if at < 0:
                return BAD
            elements += 1
            at, child, place, step = _slot(
                data, at, end, plan, names, tables, cells, node, row, step, scratch
            )
            if at < 0:
                return at
            if child < 0:
                is_nested = byte_at(data, at) == _OPEN_OBJECT or byte_at(data, at) == _OPEN_LIST
                if is_nested and entry(plan, node + IS_FLAT):
                    return BAD
                at = _skipped(data, at, end, skipped, elements) if is_nested else value_end(data, at, end)
            elif entry(plan, child + KIND) == VALUE or byte_at(data, at) == _N:
                place += entry(plan, child + COLUMN)
                is_flat, digits = entry(plan, node + IS_FLAT), entry(plan, child + DIGITS)
                at = _value(data, at, end, place, cells, is_flat, digits)
            elif opened == MAX_DEPTH * _OPEN_SIZE:
                return BAD
            else:
                put(stack, opened, node)
                put(stack, opened + 1, row)
                put(stack, opened + 2, elements)
                put(stack, opened + 3, step)
                opened += _OPEN_SIZE
                at = _opened(data, at, child, place, plan, tables, cells)
                node, elements, step = child, 0, entry(plan, child + FIRST_MEMBER)
                is_object = entry(plan, child + KIND) == OBJECT
                row = place if is_object else place + entry(plan, child + COLUMN)
            if at < 0:
                return BAD
        at = blanks_end(data, at, end)
    return BAD


@inlined
def _skipped(data: Bytes, at: int, end: int, skipped: Integers, nth: int) -> int:
    """Return the position after an unwanted object or list, or BAD. It is value number `nth` of its parent.

    Servers repeat some such values in each message (types of columns, for example). `skipped` has the value
    that was last scanned for each number modulo SKIPPED. A value with the same text is not scanned again.
    """
    place = nth % SKIPPED * 2
    start, length = entry(skipped, place), entry(skipped, place + 1)
    if length > 0 and at + length <= end and is_same(data, start, at, length):
        return at + length
    behind = value_end(data, at, end)
    put(skipped, place, at)
    put(skipped, place + 1, behind - at)  # If `behind` is BAD, this is below 0: no entry.
    return behind


@inlined
def _separated(data: Bytes, at: int, end: int, elements: int) -> int:
    """Return the position of the next element, or BAD. A comma must precede it if `elements` is not 0."""
    if elements:
        if byte_at(data, at) != _COMMA:
            return BAD
        at = blanks_end(data, at + 1, end)
    return at if at < end else BAD


@inlined
def _slot(
    data: Bytes, at: int, end: int, plan: Integers, names: Bytes, tables: Integers, cells: Cells, node: int,
    place: int, step: int, scratch: Bytes,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Find the value of the next member or element of the open value.

    The open value has the plan node `node`, and its row is at `place` in `cells`. If it is an object, `step`
    is the member that is expected next.

    Returns:
        The position of the found value, BAD or FULL; its node, -1 if it is not wanted; the position of its
        row in `cells`; and the new `step`.
    """
    kind, child = entry(plan, node + KIND), entry(plan, node + INNER)
    key, length, escapes, is_known = 0, 0, 0, False
    if kind == OBJECT and is_next(data, at, end, plan, names, step):
        is_known = True
        at = blanks_end(data, at + entry(plan, step + WRITTEN_LENGTH), end)
        child, step = entry(plan, step + NODE), entry(plan, step + NEXT)
    elif kind != LIST:
        closed = string_end(data, at + 1, end) if byte_at(data, at) == _QUOTE else BAD
        if closed < 0 or (closed >> 1) - at > MAX_NAME_LENGTH:
            return BAD, child, place, step
        key, length, escapes = at + 1, (closed >> 1) - at - 1, closed & 1
        at = colon_end(data, (closed >> 1) + 1, end)
    if at < 0 or at >= end or length > MAX_LENGTH:
        return BAD, child, place, step
    if kind == OBJECT:
        if escapes:
            size = copy_unescaped(data, key, key + length, scratch, 0) if length <= len(scratch) else BAD
            if size < 0:
                return BAD, child, place, step
            child, step = member_of(scratch, 0, size, plan, names, node, step)
        elif not is_known:
            child, step = member_of(data, key, length, plan, names, node, step)
        if child >= 0 and entry(cells, place + entry(plan, child + COLUMN)) != MISSING:
            at = BAD  # The message has this member twice.
        return at, child, place, step
    place = _new_row(tables, cells, entry(plan, child + TABLE))
    if place < 0:
        return FULL, child, place, step
    if kind == MAP:
        put(cells, place, cell(ESCAPED if escapes else STRING, key, length))
    return at, child, place, step


@inlined
def _value(data: Bytes, at: int, end: int, place: int, cells: Cells, is_flat: int, digits: int) -> int:
    """Write the cell of the value at data[at] to cells[place], and return the position after it, or BAD.

    With `is_flat`, an object or list is BAD. `digits`: see plan.py, DIGITS.
    """
    byte = byte_at(data, at)
    start, kind = at, STRING
    if byte == _QUOTE:
        start += 1
        closed = string_end(data, start, end)
        at, stop = (closed >> 1) + 1, closed >> 1
        kind = ESCAPED if closed & 1 else STRING
    elif byte == _MINUS or _ZERO <= byte <= _NINE:
        closed = number_end(data, at, end)
        at = stop = closed >> 1
        kind = DECIMAL if closed & 1 else INTEGER
    elif byte == _OPEN_OBJECT or byte == _OPEN_LIST:
        closed = BAD if is_flat else value_end(data, at, end)
        at = stop = closed
        kind = NESTED
    else:
        closed = word_end(data, at, end)
        at = stop = closed
        kind = NULL if byte == _N else WORD
    if closed < 0 or stop - start > MAX_LENGTH:
        return BAD
    if digits and is_plain_number(data, start, stop, digits):
        kind = NULL
    put(cells, place, cell(kind, start, stop - start))
    return at


@inlined
def _opened(
    data: Bytes, at: int, node: int, place: int, plan: Integers, tables: Integers, cells: Cells
) -> int:  # fmt: skip
    """Write the cell of a wanted object, list or map, whose plan node is `node`, into the row at `place`.

    Returns:
        The position after the opening bracket, or BAD if the value is something else.
    """
    kind = entry(plan, node + KIND)
    if byte_at(data, at) != (_OPEN_LIST if kind == LIST else _OPEN_OBJECT):
        return BAD
    first = 0
    if kind != OBJECT:
        first = entry(tables, entry(plan, entry(plan, node + INNER) + TABLE) + COUNT)
    put(cells, place + entry(plan, node + COLUMN), cell(NESTED, first, 0))
    return at + 1


@inlined
def _closed(
    data: Bytes, plan: Integers, tables: Integers, cells: Cells, node: int, place: int, count: int
) -> bool:  # fmt: skip
    """Write the number of elements of a list or map to its cell, at position `place`.

    Returns:
        True if the message may still be valid, also for an object. False, for an odd message, if a map has a
        key twice, or if a list or map has too many elements.
    """
    kind = entry(plan, node + KIND)
    if kind == OBJECT:
        return True
    first = entry(cells, place)
    put(cells, place, first + (count << LENGTH_SHIFT))
    if kind == LIST:
        return count <= MAX_LENGTH
    if count > _MOST_ENTRIES:
        return False
    table = entry(plan, entry(plan, node + INNER) + TABLE)
    width = entry(tables, table + WIDTH)
    place = entry(tables, table + BASE) + (first & START_MASK) * width
    return not _has_repeated(data, cells, place, width, count)


@compiled
def _has_repeated(data: Bytes, cells: Cells, place: int, width: int, count: int) -> bool:
    """Return whether two of `count` keys are equal. The cells of keys are `width` cells apart.

    Keys with escapes are compared in their escaped form only, so the reader of the map has to check them.
    """
    for one in range(1, count):
        key = cells[place + one * width]
        # `length` has the length and, above it, the kind (STRING or ESCAPED). Keys of two kinds differ.
        start, length = key & START_MASK, key >> LENGTH_SHIFT
        for other in range(one):
            before = cells[place + other * width]
            if before >> LENGTH_SHIFT == length:
                same = True
                at = before & START_MASK
                for step in range(length & MAX_LENGTH):
                    if byte_at(data, start + step) != byte_at(data, at + step):
                        same = False
                        break
                if same:
                    return True
    return False


def warm() -> None:
    """Load the kernel, or compile it, with a root without members."""
    data = np.zeros(8, np.uint8)
    data.flags.writeable = False
    plan = np.zeros(NODE_SIZE, np.int64)
    tables, cells = np.zeros(TABLE_SIZE, np.int64), np.empty(1, np.int64)
    offsets, scratch = np.zeros(1, np.int64), np.empty(8, np.uint8)
    stack, skipped = np.empty(MAX_DEPTH * _OPEN_SIZE, np.int64), np.empty(SKIPPED * 2, np.int64)
    numbers, odd = np.empty(0, np.int64), np.empty(0, np.bool_)
    scan(data, offsets, plan, data, tables, cells, numbers, odd, stack, skipped, scratch)
