"""Find the ends of the parts of a JSON text (strings, numbers, objects), by the rules of RFC 8259.

Unlike RFC 8259, but like Jackson, the functions accept control characters in strings. Strings must be UTF-8.
Each function gets the bytes, a position and the end. It returns the position after the part that begins at
the position, or BAD. Some texts that are BAD here are valid for Jackson. The exact row reader reads them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from firesteel.kernels.compiler import part
from firesteel.kernels.types import Bytes
from firesteel.kernels.words import byte_at, load_word, low_zeros

BAD = -1
_MAX_DEPTH = 64
"""Maximum depth of brackets. A deeper value is BAD, as `value_end` keeps a bit for each level in one word."""
_MAX_NUMBER_LENGTH = 1000
"""Maximum number of characters of a number, as in Jackson's StreamReadConstraints. A longer one is BAD."""
MAX_NAME_LENGTH = 50_000
"""Jackson's limit in bytes. Messages with longer names are odd."""
_MAX_EXPONENT_DIGITS = 9
"""Maximum number of digits of an exponent. A longer one is BAD: Java's BigDecimal may reject it."""

_QUOTE, _BACKSLASH, _COMMA, _COLON, _MINUS, _PLUS, _POINT = 34, 92, 44, 58, 45, 43, 46
_ZERO, _NINE, _LOWER_E, _LOWER_U = 48, 57, 101, 117
_OPEN_OBJECT, _CLOSE_OBJECT, _OPEN_LIST, _CLOSE_LIST = 123, 125, 91, 93
_LOWER_CASE = 0x20
_ONES, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_U_QUOTE, _U_BACKSLASH = np.uint64(_QUOTE), np.uint64(_BACKSLASH)


@part
def blanks_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after white space, if there is any."""
    while at < end and (
        byte_at(data, at) == 32
        or byte_at(data, at) == 10
        or byte_at(data, at) == 13
        or byte_at(data, at) == 9
    ):
        at += 1
    return at


@part
def string_end(data: Bytes, at: int, end: int) -> int:
    """Return the position of the closing quote times 2, plus 1 if the string has escapes; or BAD.

    `at` is the position after the opening quote.
    """
    escapes = 0
    while at < end:
        while at + 8 <= end:
            marks = _marks(load_word(data, at))
            if marks:
                at += low_zeros(marks) >> 3
                break
            at += 8
        if at == end:
            return BAD
        byte = byte_at(data, at)
        if byte == _QUOTE:
            return (at << 1) | escapes
        if byte == _BACKSLASH:
            escapes = 1
            at = _escape_end(data, at + 1, end)
        elif byte < 0x80:
            at += 1
            continue
        else:
            at = _character_end(data, at, end)
        if at < 0:
            return BAD
    return BAD


@part
def _marks(word: Any) -> Any:
    """Return a word with the high bit set in each byte that is a quote, a backslash or not ASCII.

    Only the lowest of these bits is reliable: it marks the first such byte. A higher bit may be set for
    another character, because the subtraction of 1 from each byte may borrow from the next byte.
    """
    quotes, backslashes = word ^ (_ONES * _U_QUOTE), word ^ (_ONES * _U_BACKSLASH)
    found = ((quotes - _ONES) & ~quotes) | ((backslashes - _ONES) & ~backslashes) | word
    return found & _HIGH_BITS


@part
def _escape_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after an escape, or BAD. Its backslash is at `at` - 1."""
    if at >= end:
        return BAD
    byte = byte_at(data, at)
    if byte == _LOWER_U:
        if at + 5 > end:
            return BAD
        for place in range(at + 1, at + 5):
            if hexadecimal(byte_at(data, place)) < 0:
                return BAD
        return at + 5
    # The characters are " / \ b f n r t.
    if byte in (34, 47, 92, 98, 102, 110, 114, 116):
        return at + 1
    return BAD


@part
def hexadecimal(byte: Any) -> Any:
    """Return the value of a hexadecimal digit, or BAD for another character."""
    if _ZERO <= byte <= _NINE:
        return np.int64(byte) - _ZERO
    letter = byte | _LOWER_CASE
    if 97 <= letter <= 102:
        return np.int64(letter) - 87
    return BAD


@part
def _character_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after a UTF-8 character of several bytes, or BAD.

    The character must be in its shortest form, not a surrogate, and not above U+10FFFF.
    """
    first = byte_at(data, at)
    if first < 0xC2 or first > 0xF4:
        return BAD
    size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    if at + size > end:
        return BAD
    second = byte_at(data, at + 1)
    least = 0xA0 if first == 0xE0 else 0x90 if first == 0xF0 else 0x80
    most = 0x9F if first == 0xED else 0x8F if first == 0xF4 else 0xBF
    if second < least or second > most:
        return BAD
    for place in range(at + 2, at + size):
        if byte_at(data, place) & 0xC0 != 0x80:
            return BAD
    return at + size


@part
def number_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after a number times 2, plus 1 if it has a fraction or an exponent; or BAD."""
    start = at
    if byte_at(data, at) == _MINUS:
        at += 1
    first = at
    at = _digits_end(data, at, end)
    if at == first or (byte_at(data, first) == _ZERO and at > first + 1):
        return BAD
    fraction = 0
    if at < end and byte_at(data, at) == _POINT:
        fraction = 1
        first = at + 1
        at = _digits_end(data, first, end)
        if at == first:
            return BAD
    if at < end and byte_at(data, at) | _LOWER_CASE == _LOWER_E:
        fraction = 1
        at += 1
        if at < end and (byte_at(data, at) == _MINUS or byte_at(data, at) == _PLUS):
            at += 1
        first = at
        at = _digits_end(data, first, end)
        if at == first or at - first > _MAX_EXPONENT_DIGITS:
            return BAD
    if at - start > _MAX_NUMBER_LENGTH:
        return BAD
    return (at << 1) | fraction


@part
def _digits_end(data: Bytes, at: int, end: int) -> int:
    while at < end and _ZERO <= byte_at(data, at) <= _NINE:
        at += 1
    return at


@part
def word_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after `true`, `false` or `null`."""
    first = data[at]
    if first == 116 and at + 4 <= end and data[at + 1] == 114 and data[at + 2] == 117 and data[at + 3] == 101:
        return at + 4
    if first == 110 and at + 4 <= end and data[at + 1] == 117 and data[at + 2] == 108 and data[at + 3] == 108:
        return at + 4
    if (
        first == 102 and at + 5 <= end
        and data[at + 1] == 97 and data[at + 2] == 108 and data[at + 3] == 115 and data[at + 4] == 101
    ):  # fmt: skip
        return at + 5
    return BAD


@part
def key_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after a member's key, its colon and blanks. The key begins at or after `at`."""
    at = blanks_end(data, at, end)
    if at >= end or byte_at(data, at) != _QUOTE:
        return BAD
    closed = string_end(data, at + 1, end)
    if closed < 0 or (closed >> 1) - at > MAX_NAME_LENGTH:
        return BAD
    return colon_end(data, (closed >> 1) + 1, end)


@part
def colon_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after a colon and the blanks around it."""
    at = blanks_end(data, at, end)
    if at >= end or byte_at(data, at) != _COLON:
        return BAD
    return blanks_end(data, at + 1, end)


@part
def value_end(data: Bytes, at: int, end: int) -> int:
    """Return the position after any value. `at` is its first byte."""
    depth = 0
    objects = np.uint64(0)  # Each bit stands for an open bracket: 1 for an object, 0 for a list.
    one = np.uint64(1)
    while True:
        at = blanks_end(data, at, end)
        if at >= end:
            return BAD
        byte = byte_at(data, at)
        if byte == _OPEN_OBJECT or byte == _OPEN_LIST:
            if depth == _MAX_DEPTH:
                return BAD
            depth += 1
            objects = (objects << one) | np.uint64(byte == _OPEN_OBJECT)
            at = blanks_end(data, at + 1, end)
            if at >= end:
                return BAD
            # The code of a closing bracket is 2 above that of its opening bracket.
            if byte_at(data, at) != byte + 2:
                if byte == _OPEN_OBJECT:
                    at = key_end(data, at, end)
                    if at < 0:
                        return BAD
                continue
        else:
            at = _scalar_end(data, at, end)
            if at < 0:
                return BAD
            if depth == 0:
                return at
            at = blanks_end(data, at, end)
        while True:
            if at >= end:
                return BAD
            is_object = objects & one
            if byte_at(data, at) == _COMMA:
                at += 1
                if is_object:
                    at = key_end(data, at, end)
                    if at < 0:
                        return BAD
                break
            if byte_at(data, at) != (_CLOSE_OBJECT if is_object else _CLOSE_LIST):
                return BAD
            at += 1
            depth -= 1
            objects >>= one
            if depth == 0:
                return at
            at = blanks_end(data, at, end)


@part
def _scalar_end(data: Bytes, at: int, end: int) -> int:
    byte = byte_at(data, at)
    if byte == _QUOTE:
        closed = string_end(data, at + 1, end)
        return BAD if closed < 0 else (closed >> 1) + 1
    if byte == _MINUS or _ZERO <= byte <= _NINE:
        closed = number_end(data, at, end)
        return BAD if closed < 0 else closed >> 1
    return word_end(data, at, end)


@part
def is_plain_number(data: Bytes, at: int, end: int, most: int) -> bool:
    """Return whether data[at:end] is a short number without an exponent, with or without a minus.

    If `most` is positive, the number must be an integer of up to `most` digits. If `most` is negative, it may
    have up to -most characters: digits, and at most one point between them.
    """
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


@part
def is_same(data: Bytes, one: int, other: int, length: int) -> bool:
    """Return whether two ranges of bytes are equal."""
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
