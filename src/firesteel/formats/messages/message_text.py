"""The characters of a JSON or csv message, as Jackson finds them. It sees which encoding they have, and reads
UTF-8 leniently: surrogates of three bytes each (CESU-8, as Oracle's and Java's tools write it), and
characters in more bytes than they need (Java's modified UTF-8 has NUL in two).

Rules: Jackson ByteSourceJsonBootstrapper, CsvParserBootstrapper, UTF8StreamJsonParser, UTF8Reader.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator

from firesteel.formats.messages.text_values import replaced

_BOMS = {
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF8: "utf-8",
}
"""UTF-32's first: with two bytes less, one of them is UTF-16's."""
_ZEROS = {
    "utf-32-be": re.compile(rb"\0\0\0.", re.DOTALL),
    "utf-32-le": re.compile(rb".\0\0\0", re.DOTALL),
    "utf-16-be": re.compile(rb"\0.", re.DOTALL),
    "utf-16-le": re.compile(rb".\0", re.DOTALL),
}
"""A message begins with a character of one byte, so its other bytes are zero."""
_LONGEST_MARK = 4
"""A message of fewer bytes is not searched for a mark."""
_SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")
_LEAD_BITS = {2: 0x1F, 3: 0x0F, 4: 0x07}
_Write = Callable[[int], str]


def json_text(message: bytes) -> tuple[str, int | None]:
    """The message up to the first byte that is no character to Jackson, and that byte, None where all are.

    A character that is written as UTF-8 does not allow is given as JSON's escape: within a text it means the
    same, even where it is a quote, and elsewhere it is as wrong.
    """
    return _decoded(message, "\\u{:04x}".format, whole=True)


def csv_text(message: bytes, *, whole: bool) -> tuple[str, int | None]:
    """The same of csv. whole: it is no part of a file, so it may be in another encoding than UTF-8."""
    text, wrong = _decoded(message, chr, whole=whole)
    return replaced(text), wrong


def _decoded(message: bytes, write: _Write, *, whole: bool) -> tuple[str, int | None]:
    encoding, start = _encoding(message) if whole else ("utf-8", 0)
    if encoding != "utf-8":
        return message[start:].decode(encoding, "replace"), None
    try:
        return message[start:].decode(), None
    except UnicodeDecodeError:
        return _lenient(message[start:], write)


def _encoding(message: bytes) -> tuple[str, int]:
    """The encoding, and how many bytes of it only say so."""
    if len(message) >= _LONGEST_MARK:
        for bom, encoding in _BOMS.items():
            if message.startswith(bom):
                return encoding, len(bom)
    return next((encoding for encoding, zeros in _ZEROS.items() if zeros.match(message)), "utf-8"), 0


def _lenient(content: bytes, write: _Write) -> tuple[str, int | None]:
    parts: list[str] = []
    at = 0
    while at < len(content):
        try:
            return "".join([*parts, content[at:].decode()]), None
        except UnicodeDecodeError as error:
            wrong = at + error.start
        before = content[at:wrong]
        parts.append(before.decode())
        found = _SEQUENCE.match(content, wrong)
        escaped = write is not chr and (len(before) - len(before.rstrip(b"\\"))) % 2 == 1
        if found is None or escaped:  # JSON knows no such escape
            return "".join(parts), content[wrong]
        parts += map(write, _units(found[0]))
        at = found.end()
    return "".join(parts), None


def _units(sequence: bytes) -> Iterator[int]:
    """Java's chars for a sequence of bytes, whatever comes out."""
    code = sequence[0] & _LEAD_BITS[len(sequence)]
    for byte in sequence[1:]:
        code = code << 6 | byte & 0x3F
    if len(sequence) < 4:
        yield code
        return
    code -= 0x10000
    yield (0xD800 | code >> 10) & 0xFFFF
    yield 0xDC00 | code & 0x3FF
