"""Strings as Java sees them: sequences of UTF-16 units.

Some of Flink's functions count units, and so may cut a character beyond U+FFFF in two; a half that is
left alone becomes `?` when Java writes it.
"""

from __future__ import annotations


def units(text: str) -> str:
    """The text with each character beyond U+FFFF as its two surrogates."""
    if text.isascii() or max(text) < "\U00010000":
        return text
    return "".join(
        c if c < "\U00010000" else chr(0xD7C0 + (ord(c) >> 10)) + chr(0xDC00 + (ord(c) & 0x3FF)) for c in text
    )


def text_of(units_text: str) -> str:
    """The characters of units; a surrogate without its other half is `?`."""
    if units_text.isascii():
        return units_text
    joined = units_text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\ufffd", "?") if "\ufffd" not in units_text else joined
