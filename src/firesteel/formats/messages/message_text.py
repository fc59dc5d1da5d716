"""Decode the characters of JSON and csv messages as Jackson does.

The encoding is detected. UTF-8 is read leniently: surrogates may be encoded as three bytes each (CESU-8, as
tools of Oracle and Java write it), and characters in more bytes than they need (modified UTF-8 of Java has
NUL in two).

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
"""Byte order marks. UTF-32 comes first, since its marks begin with those of UTF-16."""
_ZEROS = {
    "utf-32-be": re.compile(rb"\0\0\0.", re.DOTALL),
    "utf-32-le": re.compile(rb".\0\0\0", re.DOTALL),
    "utf-16-be": re.compile(rb"\0.", re.DOTALL),
    "utf-16-le": re.compile(rb".\0", re.DOTALL),
}
"""Patterns of the first character of a message by encoding: ASCII, so its other bytes are zero."""
_LONGEST_MARK = 4
"""Length below which a message is not searched for a byte order mark."""
_SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}")
_LEAD_BITS = {2: 0x1F, 3: 0x0F, 4: 0x07}
_Write = Callable[[int], str]


def json_text(message: bytes) -> tuple[str, int | None]:
    """Return the text of a JSON message up to the first invalid byte, and this byte; None if all are valid.

    Jackson accepts some encodings of characters that UTF-8 forbids. Such a character becomes a JSON escape of
    four hexadecimal digits. Within a JSON string, the escape stands for the same character. A quote that is
    encoded in this way does not end the string, and neither does its escape. Outside of strings, the
    character and its escape are both invalid.
    """
    return _decoded(message, "\\u{:04x}".format, whole=True)


def csv_text(message: bytes, *, whole: bool) -> tuple[str, int | None]:
    """Return the text of a csv message up to the first invalid byte, and this byte; None if all are valid.

    Args:
        message: The bytes.
        whole: Whether the message is not a part of a file, and so may have another encoding than UTF-8.
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
        # `escaped`: the text is JSON, and a backslash escapes the byte. JSON has no escape of a byte above
        # 0x7F, so the byte is invalid.
        if found is None or escaped:
            return "".join(parts), content[wrong]
        parts += map(write, _units(found[0]))
        at = found.end()
    return "".join(parts), None


def _units(sequence: bytes) -> Iterator[int]:
    """Yield Java's chars for a sequence of bytes, whether valid or not."""
    code = sequence[0] & _LEAD_BITS[len(sequence)]
    for byte in sequence[1:]:
        code = code << 6 | byte & 0x3F
    if len(sequence) < 4:
        yield code
        return
    code -= 0x10000
    yield (0xD800 | code >> 10) & 0xFFFF
    yield 0xDC00 | code & 0x3FF
