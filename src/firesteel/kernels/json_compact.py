"""Objects and lists of JSON that stand there as Jackson writes them."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import inlined, part
from firesteel.kernels.types import Bytes, Integers
from firesteel.kernels.words import byte_at

KEYS = 64
"""Of all objects in a value, and how deep they may lie: what is larger is not looked at."""
_QUOTE, _BLANK, _BACKSLASH, _COLON, _COMMA = 34, 32, 92, 58, 44
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST = 123, 125, 91, 93
_PLUS, _MINUS, _POINT, _ZERO, _NINE, _UPPER_E = 43, 45, 46, 48, 57, 69
SURE_DIGITS = 15
"""A number of so many digits is the shortest text of a double."""
_LONG = 7
"""From 10 to the power of this on Java writes doubles with an exponent, and below 0.001."""
_DOUBLES_LEAST, _LEAST_POWER = 3, 6
"""The negative powers up to which doubles and BigDecimals have none."""
ROUNDED, NOT_WHOLE = 15, 19
"""Between these powers of 10, Java up to 18 does not look for the shortest text (types/text.py)."""
MOST_POWER, _POWER_DIGITS = 300, 3


@part
def is_compact(data: Bytes, at: int, end: int, as_decimals: bool, keys: Integers) -> bool:
    """Whether an object or list, which is JSON, has no blanks, escapes, repeated keys and numbers that would
    be written otherwise; False, too, where it is too large to tell. keys: int64[KEYS, 4], to work with: where
    each key begins, its length and its object, and by depth the object that is open."""
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
            if not _is_shortest(data, at, behind, as_decimals):
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
    """Where a string's quote stands, -1 if there are escapes before it, or what is to be escaped."""
    while byte_at(data, at) != _QUOTE:
        if byte_at(data, at) == _BACKSLASH or byte_at(data, at) < _BLANK:
            return -1
        at += 1
    return at


@inlined
def _is_known(data: Bytes, start: int, length: int, keys: Integers, count: int, of: int) -> bool:
    """Whether the object has a key like this one already."""
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


@part
def _is_shortest(data: Bytes, at: int, end: int, as_decimals: bool) -> bool:
    """Whether a number stands here as Java writes it, as a double or as_decimals: a BigDecimal without zeros
    at the end; False, too, where that is not certain."""
    first = at + (byte_at(data, at) == _MINUS)
    point, digits = end, 0
    for place in range(first, end):
        byte = byte_at(data, place)
        if byte == _POINT:
            point = place
        elif _ZERO <= byte <= _NINE:
            digits += 1
        else:
            mantissa = min(point, place)
            return byte == _UPPER_E and _is_scientific(data, first, mantissa, place, end, as_decimals)
    if point == end:
        return first == at or byte_at(data, first) != _ZERO
    if digits > SURE_DIGITS or point - first > _LONG or not _has_digit(data, first, min(end, point + 4)):
        return False
    return byte_at(data, end - 1) != _ZERO or (not as_decimals and end - point == 2)


@inlined
def _is_scientific(data: Bytes, at: int, point: int, mark: int, end: int, as_decimals: bool) -> bool:
    """Whether a number with an exponent stands as Java writes it: one digit before the point, none behind it
    that could go, and an exponent that it needs. mark: where the E is."""
    fraction, last = mark - point - 1, byte_at(data, mark - 1)
    if point != at + 1 or byte_at(data, at) == _ZERO or mark - at > SURE_DIGITS + 1 or mark + 1 >= end:
        return False
    sign, power = byte_at(data, mark + 1), 0
    start = mark + 1 + (sign == _MINUS or sign == _PLUS)
    for place in range(start, end):
        power = int(power * 10 + np.int64(byte_at(data, place)) - _ZERO)
    if start == end or end - start > _POWER_DIGITS or byte_at(data, start) == _ZERO or power > MOST_POWER:
        return False
    if as_decimals:
        is_short = last != _ZERO if fraction > 0 else fraction < 0
        return is_short and (power > _LEAST_POWER if sign == _MINUS else sign == _PLUS and power > fraction)
    is_short = fraction > 0 and (last != _ZERO or fraction == 1) and not ROUNDED <= power < NOT_WHOLE
    return is_short and (power > _DOUBLES_LEAST if sign == _MINUS else sign != _PLUS and power >= _LONG)


@inlined
def _has_digit(data: Bytes, at: int, end: int) -> bool:
    """Whether one of these digits is not 0."""
    found = False
    for place in range(at, end):
        found |= byte_at(data, place) > _ZERO
    return found
