"""String functions with Flink's meaning. Flink: SqlFunctionUtils, BinaryStringDataUtil.

Positions count characters from 1; negative positions count from the end.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.errors import JobError
from firesteel.functions.duckdb.library import text_columns
from firesteel.functions.duckdb.library.parsing import try_double
from firesteel.functions.duckdb.registry import columnar, in_columns, nullable
from firesteel.functions.java.utf16 import text_of, units

_CHR_ALL = 256
LONGEST = 1 << 28
"""Maximum length, in UTF-16 units, of a text that is padded or repeated.

Flink can make longer texts, up to Java's limit for arrays, which is eight times as high. But usually its
memory does not suffice for them.
"""


@columnar
def upper(values: pa.Array) -> pa.Array:
    if _is_ascii(values):
        return pc.ascii_upper(values)
    return pa.array([None if v is None else v.upper() for v in values.to_pylist()], pa.string())


@columnar
def lower(values: pa.Array) -> pa.Array:
    if _is_ascii(values):
        return pc.ascii_lower(values)
    return pa.array([None if v is None else v.lower() for v in values.to_pylist()], pa.string())


def _is_ascii(values: pa.Array) -> bool:
    return pc.all(pc.string_is_ascii(values)).as_py() is not False


def initcap(text: str) -> str:
    """Return the text with each run of ASCII letters and digits in lower case, but for its first character.

    The first character of a run is in upper case. Other characters are unchanged.
    """
    found, inside = [], False
    for letter in text:
        plain = letter.isascii() and letter.isalnum()
        found.append(letter if not plain else letter.lower() if inside else letter.upper())
        inside = plain
    return "".join(found)


def reverse(text: str) -> str:
    return text[::-1]


def substring(text: str, start: int, length: int = (1 << 31) - 1) -> str | None:
    """Return the text from `start` on (0 counts as 1), NULL for a negative length."""
    if length < 0:
        return None
    begin = start - 1 if start > 0 else 0 if start == 0 else len(text) + start
    if not 0 <= begin < len(text):
        return ""
    return text[begin : begin + length]


def left(text: str, count: int) -> str:
    return text[: max(count, 0)]


def right(text: str, count: int) -> str:
    return text[max(len(text) - count, 0) :] if count > 0 else ""


@in_columns(text_columns.replace)
def replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old else text_of(units(text).replace(old, new))


@nullable
def translate(text: str | None, old: str | None, new: str | None) -> str | None:
    """Return the text with each character of `old` replaced by the character of `new` at the same position.

    If `new` is too short or NULL, the characters of `old` without a counterpart are removed.
    """
    if text is None or not old:
        return text
    table: dict[int, str | None] = {}
    for i, letter in enumerate(old):
        table.setdefault(ord(letter), new[i] if new is not None and i < len(new) else None)
    return text.translate(table)


def concat(*parts: str) -> str:
    return "".join(parts)


@nullable
def concat_ws(separator: str | None, *parts: str | None) -> str | None:
    """Return the texts joined by the separator, without NULLs."""
    return None if separator is None else separator.join(p for p in parts if p is not None)


def position(wanted: str, text: str, start: int = 1) -> int:
    """Return the position of the first occurrence from `start` on, or 0.

    The empty string is always found at 1.
    """
    return text.find(wanted, max(start - 1, 0)) + 1 if wanted else 1


def instr(text: str, wanted: str, start: int = 1, occurrence: int = 1) -> int:
    """Return the position of the n-th occurrence from `start` on, or 0. A negative start searches backwards.

    The empty string is found at 1, and backwards at the end of the text.
    """
    if occurrence < 1:
        raise JobError("nthAppearance must be positive!")
    if start == 0:
        return 0
    if start < 0:
        found = instr(text[::-1], wanted[::-1], -start, occurrence)
        return found and len(text) + 2 - found - len(wanted)
    if not wanted:
        return 1
    at = start - 1
    for _ in range(occurrence):
        at = text.find(wanted, at) + 1
        if not at:
            return 0
    return at


_INT = 1 << 32


def overlay(text: str, new: str, start: int, length: int | None = None) -> str:
    """Return the text with `new` in place of `length` UTF-16 units from `start`, which counts from 1.

    If `length` is None, it is the length of `new`. A `start` outside the text leaves the text unchanged.

    Raises:
        JobError: The sum of `start` and the length overflows an INT.
    """
    text, new = units(text), units(new)
    count = len(new) if length is None else length
    if start <= 0 or start > len(text):
        return text_of(text)
    end = (start + count + _INT // 2) % _INT - _INT // 2
    if end < 0 < count:
        raise JobError(f"begin {end - 1}, end {len(text)}, length {len(text)}")
    rest = text[start - 1 + count :] if 0 < count < len(text) - start + 1 else ""
    return text_of(text[: start - 1] + new + rest)


def lpad(text: str, size: int, pad: str) -> str | None:
    """Return the text, truncated or padded on the left to `size` UTF-16 units.

    NULL for a negative size or an empty `pad`.
    """
    if size < 0 or not pad:
        return None
    text = units(text)
    return text_of(text[:size] if size <= len(text) else _padding(size - len(text), pad) + text)


def rpad(text: str, size: int, pad: str) -> str | None:
    if size < 0 or not pad:
        return None
    text = units(text)
    return text_of(text[:size] if size <= len(text) else text + _padding(size - len(text), pad))


def _padding(missing: int, pad: str) -> str:
    _check_length(missing)
    pad = units(pad)
    return (pad * (missing // len(pad) + 1))[:missing]


def repeat(text: str, count: int) -> str:
    _check_length(len(text) * count)
    return text * max(count, 0)


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise JobError(
            f"A text of {length} characters is too long: REPEAT, LPAD and RPAD make at most {LONGEST}",
            hint="look at the count, or leave such rows out with WHERE",
        )


def trim_leading(characters: str, text: str) -> str:
    return text.lstrip(characters) if characters else text


def trim_trailing(characters: str, text: str) -> str:
    return text.rstrip(characters) if characters else text


def trim_both(characters: str, text: str) -> str:
    return text.strip(characters) if characters else text


def ascii_code(text: str) -> int:
    """Return the first byte of the UTF-8 text, as Java's signed byte."""
    if not text:
        return 0
    byte = text.encode()[0]
    return byte - 256 if byte > 127 else byte


def chr_of(code: int) -> str:
    """Return the character of code % 256, an empty text for a negative code."""
    if code < 0:
        return ""
    return chr(code % _CHR_ALL)


@nullable
def elt(index: int | None, *parts: str | bytes | None) -> str | bytes | None:
    """Return the part at a position, counted from 1; NULL if there is no part at this position."""
    if index is None or not 1 <= index <= len(parts):
        return None
    return parts[index - 1]


@nullable
def is_alpha(text: str | None) -> bool:
    """Return whether a text has only letters, and at least one."""
    return all(c.isalpha() for c in text) if text else False


@nullable
def is_digit(text: str | None) -> bool:
    return all(c.isdecimal() for c in text) if text else False


@nullable
def is_decimal(text: str | None) -> bool:
    return is_digit(text) or (text is not None and try_double(text) is not None)


@columnar
def compare_utf16(left: pa.Array, right: pa.Array) -> pa.Array:
    """Return -1, 0 or 1 by UTF-16 code units, as Java compares strings."""
    less, greater = pc.less(left, right), pc.greater(left, right)
    plain = pc.subtract(greater.cast(pa.int32()), less.cast(pa.int32()))
    if _below_surrogates(left) or _below_surrogates(right):
        return plain
    rows = zip(left.to_pylist(), right.to_pylist(), strict=True)
    return pa.array([None if a is None or b is None else _units(a, b) for a, b in rows], pa.int32())


def greatest(*texts: str) -> str:
    """Return the greatest text, compared by UTF-16 code units."""
    return max(texts, key=_utf16)


def least(*texts: str) -> str:
    """Return the least text, compared by UTF-16 code units."""
    return min(texts, key=_utf16)


def _utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _below_surrogates(values: pa.Array) -> bool:
    """Return whether all characters are below U+E000, where the orders by UTF-16 units and by bytes agree."""
    longest = pc.max(pc.binary_length(values)).as_py()
    return longest is None or not pc.any(pc.match_substring_regex(values, "[\ue000-\U0010ffff]")).as_py()


def _units(a: str, b: str) -> int:
    x, y = units(a), units(b)
    return (x > y) - (x < y)
