"""Check whether objects and lists of JSON are written as Jackson writes them."""

from __future__ import annotations

from firesteel.kernels.compiler import inlined, part
from firesteel.kernels.json.numbers import write_number
from firesteel.kernels.types import Bytes, Integers
from firesteel.kernels.words import byte_at

KEYS = 64
"""Limit of two numbers: the keys of all objects in a value together, and the depth of the value.

`is_compact` returns False for a value that exceeds the limit in either number.
"""
_QUOTE, _BLANK, _BACKSLASH, _COLON, _COMMA = 34, 32, 92, 58, 44
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST = 123, 125, 91, 93
_MINUS, _ZERO, _NINE = 45, 48, 57


@part
def is_compact(data: Bytes, at: int, end: int, as_decimals: bool, keys: Integers, text: Bytes) -> bool:
    """Return whether a valid object or list has the form that Jackson would write.

    Such a value has no blanks, escapes or repeated keys. Its numbers have the form of a double, or with
    `as_decimals` of a decimal. The result is False for values that are too large to check.

    Args:
        data: The bytes.
        at: Begin of the value.
        end: End of the value.
        as_decimals: Whether numbers are written as decimals.
        keys: int64[KEYS, 4], work space: the begin of each key, its length and its object, and the open
            object by depth.
        text: uint8[TEXT_BYTES], work space.
    """
    depth, objects, count = 0, 0, 0
    while at < end:
        byte = byte_at(data, at)
        if byte == _QUOTE:
            closed = _string_end(data, at + 1, end)
            if closed < 0:
                return False
            if closed + 1 < end and byte_at(data, closed + 1) == _COLON:
                if count == KEYS or _is_known(data, at + 1, closed - at - 1, keys, count, keys[depth, 3]):
                    return False
                keys[count, 0], keys[count, 1], keys[count, 2] = at + 1, closed - at - 1, keys[depth, 3]
                count += 1
            at = closed + 1
        elif byte == _MINUS or _ZERO <= byte <= _NINE:
            behind = _number_end(data, at, end)
            if not _is_written_so(data, at, behind, as_decimals, text):
                return False
            at = behind
        elif byte == _OPEN_OBJECT or byte == _OPEN_LIST:
            depth += 1
            if depth == KEYS:
                return False
            objects += 1
            keys[depth, 3] = objects
            at += 1
        elif byte <= _BLANK:
            return False
        else:
            depth -= byte == _CLOSE_OBJECT or byte == _CLOSE_LIST
            at += 1
    return True


@inlined
def _string_end(data: Bytes, at: int, end: int) -> int:
    """Return the position of a string's closing quote. -1 if it has escapes, or characters that need them."""
    while byte_at(data, at) != _QUOTE:
        if byte_at(data, at) == _BACKSLASH or byte_at(data, at) < _BLANK:
            return -1
        at += 1
    return at


@inlined
def _is_known(data: Bytes, start: int, length: int, keys: Integers, count: int, of: int) -> bool:
    """Return whether the object numbered `of` already has the key at data[start:start + length]."""
    for index in range(count):
        if keys[index, 2] == of and keys[index, 1] == length:
            same = True
            for place in range(length):
                same &= byte_at(data, keys[index, 0] + place) == byte_at(data, start + place)
            if same:
                return True
    return False


@inlined
def _number_end(data: Bytes, at: int, end: int) -> int:
    while at < end:
        byte = byte_at(data, at)
        if byte == _COMMA or byte == _CLOSE_LIST or byte == _CLOSE_OBJECT or byte <= _BLANK:
            break
        at += 1
    return at


@inlined
def _is_written_so(data: Bytes, at: int, end: int, as_decimals: bool, text: Bytes) -> bool:
    """Return whether data[at:end] is a number in the form in which Java writes it. False if not certain.

    `as_decimals`: whether Java writes it as a BigDecimal, else as a double. `text` is work space.
    """
    is_whole = True
    for place in range(at, end):
        byte = byte_at(data, place)
        is_whole &= byte == _MINUS or _ZERO <= byte <= _NINE
    if is_whole:
        return byte_at(data, at) != _MINUS or byte_at(data, at + 1) != _ZERO
    if write_number(data, at, end, as_decimals, text, 0) != end - at:
        return False
    same = True
    for place in range(end - at):
        same &= byte_at(text, place) == byte_at(data, at + place)
    return same
