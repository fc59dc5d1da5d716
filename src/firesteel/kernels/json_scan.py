"""One pass over a block of JSON messages: each wanted value's cell, in tables of rows.

A **plan** is a tree of nodes in arrays. A node is a value (a cell is all that is wanted of it), an object
of which some members are wanted, a list, or a map (an object of which all members are). The root, an
object, has a row in table 0 for each message; the members of an object share its row; elements of a list
and entries of a map have rows of their own in a table of their node. Within a table, rows stand in the
order of the messages.

A message that is no JSON object, whose values have another structure than the plan, or that has a wanted
member twice, is **odd**: it leaves no rows."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined, part
from firesteel.kernels.json_cells import (
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
)  # fmt: skip
from firesteel.kernels.json_text import copy_unescaped
from firesteel.kernels.json_tokens import (
    BAD,
    blanks_end,
    colon_end,
    number_end,
    string_end,
    value_end,
    word_end,
)  # fmt: skip
from firesteel.kernels.types import Bytes, Cells, Flags, Integers, Plan
from firesteel.kernels.words import byte_at, load_word

FULL = -2
"""A table has no room left: the block is to be scanned again with more."""
VALUE, OBJECT, LIST, MAP = range(4)
KIND, TABLE, COLUMN, FIRST_MEMBER, MEMBERS, INNER, IS_FLAT, DIGITS = range(8)
"""Columns of `nodes`. INNER: the node of elements or of entries' values. IS_FLAT: an object is odd if it
holds objects or lists. DIGITS: where not 0, nobody wants a value that is a plain number of so many digits,
below 0 with a point among them if there is one: it is as good as null."""
NAME, LENGTH, HEAD, NODE = range(4)
"""Columns of `members`: where in `names` a name begins, its length, its first eight bytes as a word, its
node. Those of an object stand side by side."""
BASE, WIDTH, CAPACITY, COUNT, _BEFORE = range(5)
"""Columns of `tables`: where in `cells` a table begins, its columns, the rows for which there is room, and
those that there are."""
KNOWN = 16
"""Rows of `known`: where a value that nobody wants began and its length, by its number in what it is in."""
MAX_DEPTH = 32
"""Rows of `stack`, each for one that is open around a value; columns: its node, the place of its row
(of a list or map, of its cell), how many elements it has so far, and the member that is looked for next."""
_QUOTE, _COMMA, _MINUS, _POINT, _ZERO, _NINE, _N = 34, 44, 45, 46, 48, 57, 110
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST = 123, 125, 91, 93
_MOST_ENTRIES = 500
"""A larger map is another reader's: its keys are compared one with another."""


@compiled
def scan(
    data: Bytes, offsets: Integers, nodes: Plan, members: Integers, names: Bytes, tables: Integers,
    cells: Cells, numbers: Integers, odd: Flags, stack: Integers, known: Integers, scratch: Bytes,
) -> int:  # fmt: skip
    """Fill the tables from n messages, message i being data[offsets[i]:offsets[i + 1]]; the number of root
    rows, or FULL. numbers: int64[n], gets the message of each root row. odd: bool[n], gets which are odd;
    one without any bytes is not, and has no row. To work with: stack: int64[MAX_DEPTH, 4], known:
    int64[KNOWN, 2], scratch: uint8[any], for keys with escapes; those for which it is too short are odd."""
    rows = 0
    for place in range(KNOWN):
        known[place, 1] = 0
    for number in range(len(offsets) - 1):
        at, end = offsets[number], offsets[number + 1]
        odd[number] = False
        if at == end:
            continue
        for table in range(len(tables)):
            tables[table, _BEFORE] = tables[table, COUNT]
        at = _message(data, at, end, nodes, members, names, tables, cells, stack, known, scratch)
        if at == FULL:
            return FULL
        if at == BAD or blanks_end(data, at, end) != end:
            odd[number] = True
            for table in range(len(tables)):
                tables[table, COUNT] = tables[table, _BEFORE]
            continue
        numbers[rows] = number
        rows += 1
    return rows


@inlined
def _new_row(tables: Integers, cells: Cells, table: int) -> int:
    """The place in `cells` of a row in which nothing is there yet, or FULL."""
    row = tables[table, COUNT]
    if row == tables[table, CAPACITY]:
        return FULL
    tables[table, COUNT] = row + 1
    width = tables[table, WIDTH]
    place = tables[table, BASE] + row * width
    for column in range(width):
        cells[place + column] = 0
    return place


@inlined
def _message(
    data: Bytes, at: int, end: int, nodes: Plan, members: Integers, names: Bytes, tables: Integers,
    cells: Cells, stack: Integers, known: Integers, scratch: Bytes,
) -> int:  # fmt: skip
    """Behind the object, BAD or FULL."""
    at = blanks_end(data, at, end)
    if at >= end or byte_at(data, at) != _OPEN_OBJECT:
        return BAD
    place = _new_row(tables, cells, 0)
    if place < 0:
        return FULL
    depth = 0
    node, row, seen, step = 0, place, 0, 0  # of what is open: see the columns of `stack`
    at = blanks_end(data, at + 1, end)
    while at < end:
        if byte_at(data, at) == (_CLOSE_LIST if nodes[node, KIND] == LIST else _CLOSE_OBJECT):
            if not _closed(data, nodes, tables, cells, node, row, seen):
                return BAD
            at += 1
            if depth == 0:
                return at
            depth -= 1
            node, row, seen, step = stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3]
        else:
            at = _separated(data, at, end, seen)
            if at < 0:
                return BAD
            seen += 1
            at, child, place, step = _slot(
                data, at, end, nodes, members, names, tables, cells, node, row, step, scratch
            )
            if at < 0:
                return at
            if child < 0:
                is_nested = byte_at(data, at) == _OPEN_OBJECT or byte_at(data, at) == _OPEN_LIST
                if is_nested and nodes[node, IS_FLAT]:
                    return BAD
                at = _skipped(data, at, end, known, seen) if is_nested else value_end(data, at, end)
            elif nodes[child, KIND] == VALUE or byte_at(data, at) == _N:
                place += nodes[child, COLUMN]
                at = _value(data, at, end, place, cells, nodes[node, IS_FLAT], nodes[child, DIGITS])
            elif depth == MAX_DEPTH:
                return BAD
            else:
                stack[depth, 0], stack[depth, 1], stack[depth, 2], stack[depth, 3] = node, row, seen, step
                depth += 1
                at = _opened(data, at, child, place, nodes, tables, cells)
                node, seen, step = child, 0, 0
                row = place if nodes[child, KIND] == OBJECT else place + nodes[child, COLUMN]
            if at < 0:
                return BAD
        at = blanks_end(data, at, end)
    return BAD


@inlined
def _skipped(data: Bytes, at: int, end: int, known: Integers, nth: int) -> int:
    """Behind an object or list that nobody wants, the nth of what it is in. Servers write some with each
    message, types of columns for example: the same text as the last one there is not looked at again."""
    place = nth % KNOWN
    start, length = known[place, 0], known[place, 1]
    if length > 0 and at + length <= end and _is_same(data, start, at, length):
        return at + length
    behind = value_end(data, at, end)
    known[place, 0], known[place, 1] = at, behind - at  # of a bad one below 0
    return behind


@part
def _is_same(data: Bytes, one: int, other: int, length: int) -> bool:
    """Whether two stretches of bytes are equal."""
    step = 0
    while step + 8 <= length:
        if load_word(data, one + step) != load_word(data, other + step):
            return False
        step += 8
    while step < length:
        if byte_at(data, one + step) != byte_at(data, other + step):
            return False
        step += 1
    return True


@inlined
def _separated(data: Bytes, at: int, end: int, seen: int) -> int:
    """Behind the comma that the second and later elements have before them."""
    if seen:
        if byte_at(data, at) != _COMMA:
            return BAD
        at = blanks_end(data, at + 1, end)
    return at if at < end else BAD


@inlined
def _slot(
    data: Bytes, at: int, end: int, nodes: Plan, members: Integers, names: Bytes, tables: Integers,
    cells: Cells, node: int, place: int, step: int, scratch: Bytes,
) -> tuple[int, int, int, int]:  # fmt: skip
    """Where the next value begins, BAD or FULL; its node, or -1 where nobody wants it; its row's place; the
    member that is looked for next."""
    kind, child = nodes[node, KIND], nodes[node, INNER]
    key, length, escapes = 0, 0, 0
    if kind != LIST:
        closed = string_end(data, at + 1, end) if byte_at(data, at) == _QUOTE else BAD
        if closed < 0:
            return BAD, child, place, step
        key, length, escapes = at + 1, (closed >> 1) - at - 1, closed & 1
        at = colon_end(data, (closed >> 1) + 1, end)
        if at < 0 or at >= end or length > MAX_LENGTH:
            return BAD, child, place, step
        if kind == OBJECT:
            if not escapes:
                child, step = _member(data, key, length, nodes, members, names, node, step)
            else:
                size = copy_unescaped(data, key, key + length, scratch, 0) if length <= len(scratch) else BAD
                if size < 0:
                    return BAD, child, place, step
                child, step = _member(scratch, 0, size, nodes, members, names, node, step)
            if child >= 0 and cells[place + nodes[child, COLUMN]] != MISSING:
                at = BAD  # twice
            return at, child, place, step
    place = _new_row(tables, cells, nodes[child, TABLE])
    if place < 0:
        return FULL, child, place, step
    if kind == MAP:
        cells[place] = cell(ESCAPED if escapes else STRING, key, length)
    return at, child, place, step


@inlined
def _member(
    text: Bytes, key: int, length: int, nodes: Plan, members: Integers, names: Bytes, node: int, step: int
) -> tuple[int, int]:  # fmt: skip
    """The node of the member with this key, or -1, and the one behind it, which is looked at first the next
    time: members mostly stand in one order."""
    first, count = nodes[node, FIRST_MEMBER], nodes[node, MEMBERS]
    start = min(key, len(text) - 8)
    word = load_word(text, start) >> np.uint64((key - start) << 3)
    if length < 8:
        word &= (np.uint64(1) << np.uint64(length << 3)) - np.uint64(1)
    head = np.int64(word)
    for _ in range(count):
        member = first + step
        step = step + 1 if step + 1 < count else 0
        if members[member, HEAD] == head and members[member, LENGTH] == length:
            name = members[member, NAME]
            same = True
            for place in range(8, length):
                if names[name + place] != text[key + place]:
                    same = False
                    break
            if same:
                return members[member, NODE], step
    return -1, step


@inlined
def _value(data: Bytes, at: int, end: int, place: int, cells: Cells, is_flat: int, digits: int) -> int:
    """Behind a value whose cell is put in its place."""
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
    if digits and _is_plain_number(data, start, stop, digits):
        kind = NULL
    cells[place] = cell(kind, start, stop - start)
    return at


@part
def _is_plain_number(data: Bytes, at: int, end: int, most: int) -> bool:
    """Whether these bytes are digits, not more than `most`, with a minus before them or not; below 0: not
    more than -most with a point among them."""
    if at < end and byte_at(data, at) == _MINUS:
        at += 1
    first, points = at, 0 if most < 0 else 1
    if at >= end or end - at > abs(most):
        return False
    while at < end:
        byte = byte_at(data, at)
        if byte == _POINT and first < at < end - 1:
            points += 1
            if points > 1:
                return False
        elif byte < _ZERO or byte > _NINE:
            return False
        at += 1
    return True


@inlined
def _opened(
    data: Bytes, at: int, node: int, place: int, nodes: Plan, tables: Integers, cells: Cells
) -> int:  # fmt: skip
    """Behind the bracket of an object, a list or a map of the plan, which is the one to be closed next."""
    kind = nodes[node, KIND]
    if byte_at(data, at) != (_OPEN_LIST if kind == LIST else _OPEN_OBJECT):
        return BAD
    first = 0 if kind == OBJECT else tables[nodes[nodes[node, INNER], TABLE], COUNT]
    cells[place + nodes[node, COLUMN]] = cell(NESTED, first, 0)
    return at + 1


@inlined
def _closed(
    data: Bytes, nodes: Plan, tables: Integers, cells: Cells, node: int, own: int, count: int
) -> bool:  # fmt: skip
    """Note how many elements the list or map that ends here has; whether it is none with a key twice. own:
    the place of its cell."""
    if nodes[node, KIND] == OBJECT:
        return True
    table = nodes[nodes[node, INNER], TABLE]
    first = cells[own]
    cells[own] = first + (count << LENGTH_SHIFT)
    if nodes[node, KIND] == LIST:
        return count <= MAX_LENGTH
    if count > _MOST_ENTRIES:
        return False
    width = tables[table, WIDTH]
    place = tables[table, BASE] + (first & START_MASK) * width
    return not _has_repeated(data, cells, place, width, count)


@compiled
def _has_repeated(data: Bytes, cells: Cells, place: int, width: int, count: int) -> bool:
    """Whether two of the keys, `width` cells from one to the next, are the same. Those with escapes are
    looked at by whoever takes the map."""
    for one in range(1, count):
        key = cells[place + one * width]
        start, length = key & START_MASK, key >> LENGTH_SHIFT  # of its kind, too
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
    """Have the kernel loaded, or compiled: a root without members, of no message."""
    data = np.zeros(8, np.uint8)
    data.flags.writeable = False
    nodes, members = np.array([[OBJECT, 0, 0, 0, 0, -1, 0]], np.int32), np.empty((0, 4), np.int64)
    tables, cells = np.array([[0, 1, 1, 0, 0]], np.int64), np.empty(1, np.int64)
    offsets, stack, scratch = np.zeros(1, np.int64), np.empty((MAX_DEPTH, 4), np.int64), np.empty(8, np.uint8)
    numbers, odd = np.empty(0, np.int64), np.empty(0, np.bool_)
    known = np.empty((KNOWN, 2), np.int64)
    scan(data, offsets, nodes, members, data, tables, cells, numbers, odd, stack, known, scratch)
