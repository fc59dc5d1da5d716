"""The characters of a JSON message, as Jackson finds them. It looks which encoding of Unicode it is, and reads
UTF-8 leniently: surrogates of three bytes each (CESU-8, as Oracle's and Java's tools write it), and
characters in more bytes than they need (Java's modified UTF-8 has NUL in two).

Rules: Jackson ByteSourceJsonBootstrapper.detectEncoding and UTF8StreamJsonParser.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_BOMS = {
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF8: "utf-8",
}
"""UTF-32's first: with two bytes less, one of them is UTF-16's."""
_ZEROS = (("utf-32-be", b"\0\0\0."), ("utf-32-le", b".\0\0\0"), ("utf-16-be", b"\0."), ("utf-16-le", b".\0"))
"""A message begins with a character of ASCII, so its other bytes are zero."""
_LONG = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")
_LEAD_BITS = {2: 0x1F, 3: 0x0F, 4: 0x07}


def json_text(message: bytes) -> tuple[str, int | None]:
    """The message up to the first byte that is no character to Jackson, and that byte, None where all are.

    A character that is written as UTF-8 does not allow is given as JSON's escape: within a text it means the
    same, even where it is a quote, and elsewhere it is as wrong.
    """
    encoding, start = _encoding(message)
    if encoding != "utf-8":
        return message[start:].decode(encoding, "replace"), None
    try:
        return message[start:].decode(), None
    except UnicodeDecodeError:
        return _lenient(message[start:])


def _encoding(message: bytes) -> tuple[str, int]:
    """The encoding, and how many bytes of it only say so."""
    for bom, encoding in _BOMS.items():
        if message.startswith(bom):
            return encoding, len(bom)
    for encoding, pattern in _ZEROS:
        if len(message) >= len(pattern) and re.match(pattern, message, re.DOTALL):
            return encoding, 0
    return "utf-8", 0


def _lenient(content: bytes) -> tuple[str, int | None]:
    parts: list[str] = []
    at = 0
    while at < len(content):
        try:
            return "".join([*parts, content[at:].decode()]), None
        except UnicodeDecodeError as error:
            wrong = at + error.start
        before = content[at:wrong]
        parts.append(before.decode())
        found = _LONG.match(content, wrong)
        escaped = (len(before) - len(before.rstrip(b"\\"))) % 2 == 1  # no escape that Jackson knows
        if found is None or escaped:
            return "".join(parts), content[wrong]
        parts += (f"\\u{unit:04x}" for unit in _units(found[0]))
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
