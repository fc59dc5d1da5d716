"""Conversion of strings to and from UTF-16 units, in which Java counts.

Some of Flink's functions count units and may split a character beyond U+FFFF. Java writes an unpaired
surrogate as `?`.
"""

from __future__ import annotations


def units(text: str) -> str:
    """Return the text with each character beyond U+FFFF as two surrogates."""
    if text.isascii() or max(text) < "\U00010000":
        return text
    return "".join(
        c if c < "\U00010000" else chr(0xD7C0 + (ord(c) >> 10)) + chr(0xDC00 + (ord(c) & 0x3FF)) for c in text
    )


def text_of(units_text: str) -> str:
    """Return the text of UTF-16 units, with `?` for an unpaired surrogate."""
    if units_text.isascii():
        return units_text
    joined = units_text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\ufffd", "?") if "\ufffd" not in units_text else joined
