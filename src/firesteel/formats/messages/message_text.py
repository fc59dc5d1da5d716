"""Decode the characters of JSON and csv messages as Jackson does.

The encoding is detected. Two deviations from UTF-8 are accepted:
- CESU-8, which tools of Oracle and Java write: each surrogate of a character is encoded as three bytes.
- Characters in more bytes than necessary. For example, Java's modified UTF-8 encodes NUL as two bytes.

Source: Jackson ByteSourceJsonBootstrapper, CsvParserBootstrapper, UTF8StreamJsonParser, UTF8Reader.
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
"""Byte order marks, in the order of the search. UTF-32 comes first: its mark begins with that of UTF-16."""
_ZEROS = {
    "utf-32-be": re.compile(rb"\0\0\0.", re.DOTALL),
    "utf-32-le": re.compile(rb".\0\0\0", re.DOTALL),
    "utf-16-be": re.compile(rb"\0.", re.DOTALL),
    "utf-16-le": re.compile(rb".\0", re.DOTALL),
}
"""Patterns that detect a message's encoding by the zero bytes of its first character.

The first character is taken for an ASCII one: UTF-16 and UTF-32 then fill up its byte with zeros.
"""
_LONGEST_MARK = 4
"""Bytes of the longest byte order mark. As in Jackson, a shorter message has no byte order mark."""
_SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")
_LEAD_BITS = {2: 0x1F, 3: 0x0F, 4: 0x07}
_Write = Callable[[int], str]


def json_text(message: bytes) -> tuple[str, int | None]:
    """Return the text of a JSON message up to the first invalid byte, and the value of this byte.

    If all bytes are valid, the second value is None. A character in an encoding that Jackson accepts, but not
    UTF-8 (see the module's docstring), becomes a JSON escape of four hexadecimal digits. This keeps Jackson's
    result: inside a string, the escape stands for the character, and a quote that is encoded in this way does
    not end the string. Outside of strings, the character and the escape are both errors.
    """
    return _decoded(message, "\\u{:04x}".format, whole=True)


def csv_text(message: bytes, *, whole: bool) -> tuple[str, int | None]:
    """Return the text of a csv message up to the first invalid byte, and the value of this byte.

    If all bytes are valid, the second value is None.

    Args:
        message: The bytes.
        whole: Whether the encoding of the message is detected. False for a record of a file, which is UTF-8.
    """
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
    """Return the encoding of a message, and the length of its byte order mark."""
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
        # In JSON, a character after an odd number of backslashes is part of an escape such as `\n`. No escape
        # has a character above 0x7F, so a byte above 0x7F is invalid there.
        if found is None or escaped:
            return "".join(parts), content[wrong]
        parts += map(write, _units(found[0]))
        at = found.end()
    return "".join(parts), None


def _units(sequence: bytes) -> Iterator[int]:
    """Yield the UTF-16 units that Jackson decodes from two to four bytes, even if UTF-8 forbids them."""
    code = sequence[0] & _LEAD_BITS[len(sequence)]
    for byte in sequence[1:]:
        code = code << 6 | byte & 0x3F
    if len(sequence) < 4:
        yield code
        return
    code -= 0x10000
    yield (0xD800 | code >> 10) & 0xFFFF
    yield 0xDC00 | code & 0x3FF
